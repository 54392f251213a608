import type { FactAnswer, FactRow } from "../../api.ts";
import { sessionPath } from "../data/client.ts";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { useQuery } from "../data/use-query.ts";
import { counted, moment } from "../model/format.ts";
import { decisionRows } from "../model/trees.ts";
import { JsonView } from "./json-view.tsx";
import { Notice } from "./notice.tsx";
import { TreeGuides } from "./tree-guides.tsx";

/** The selected fact: its envelope, its data, what led to it and what it led to. */
export function FactDetail(): preact.JSX.Element {
  return (
    <section class="fact" aria-label="Selected fact">
      <FactBody />
    </section>
  );
}

/** The same without its region, for a panel. */
export function FactBody(): preact.JSX.Element {
  const session = useStore(({ place }) => place.session);
  const at = useStore(atOf);
  const { answer, fault, isStale } = useQuery<FactAnswer>(
    session === null || at === 0 ? null : sessionPath(session, `/facts/${at}`),
  );
  if (fault !== null && answer === null)
    return (
      <Notice tone="bad" title="The fact can't be shown">
        {fault.message}
      </Notice>
    );
  if (answer === null) return <div class="fact-body loading" aria-busy="true" />;
  return (
    <div class="fact-body" data-scrolls aria-busy={isStale} tabIndex={0} role="group" aria-label="Fact">
      <Envelope answer={answer} />
      <h3>Data</h3>
      <JsonView key={answer.fact.version} value={answer.fact.data} openLevels={2} label="Data of the fact" />
      <Decisions answer={answer} />
    </div>
  );
}

function Envelope({
  answer: { fact, row, rule, effects },
}: {
  readonly answer: FactAnswer;
}): preact.JSX.Element {
  const settles = rule?.settles ?? [];
  return (
    <>
      <header class="fact-head">
        <span class={`lane-dot lane-${row.lane} ${row.kind}`} />
        <h2>{fact.type}</h2>
        <span class={`badge ${fact.kind}`}>{fact.kind}</span>
        {row.isBlocked ? (
          <span class="badge warn">blocked</span>
        ) : row.isError ? (
          <span class="badge bad">failed</span>
        ) : null}
      </header>
      {row.summary === "" ? null : <p class="fact-words">{row.summary}</p>}
      <dl class="pairs">
        <dt>version</dt>
        <dd>
          {fact.version} <span class="faint">{`position ${fact.position}`}</span>
        </dd>
        <dt>at</dt>
        <dd>{moment(fact.at)}</dd>
        <dt>actor</dt>
        <dd>{fact.actor}</dd>
        <dt>caused by</dt>
        <dd>
          {fact.causation === null ? (
            <span class="faint">from outside</span>
          ) : (
            <FactLink version={fact.causation} />
          )}
        </dd>
        {effects.length === 0 ? null : (
          <>
            <dt>caused</dt>
            <dd>{counted(effects.length, "fact")}</dd>
          </>
        )}
        {rule?.opens === undefined ? null : (
          <>
            <dt>opens</dt>
            <dd>{rule.opens}</dd>
          </>
        )}
        {settles.length === 0 ? null : (
          <>
            <dt>settles</dt>
            <dd>{settles.join(", ")}</dd>
          </>
        )}
        <dt>hash</dt>
        <dd title={fact.hash}>{`${fact.hash.slice(0, 16)}…`}</dd>
      </dl>
    </>
  );
}

/** Goes to a fact. */
export function FactLink({
  version,
  text,
}: {
  readonly version: number;
  readonly text?: string;
}): preact.JSX.Element {
  const { actions } = usePage();
  return (
    <button type="button" class="link" onClick={() => actions.select(version)}>
      {text ?? `fact ${version}`}
    </button>
  );
}

function Decisions({ answer }: { readonly answer: FactAnswer }): preact.JSX.Element {
  const rows = decisionRows(answer.unit);
  return (
    <>
      <h3>
        Decision tree <span class="faint">{counted(rows.length + answer.unitLeftOut, "fact")}</span>
      </h3>
      {answer.cause === null || answer.cause.version >= answer.unit.row.version ? null : (
        <p class="tree-from">
          follows from <RowLink row={answer.cause} isHere={false} />
        </p>
      )}
      <ul class="tree" aria-label="Decision tree">
        {rows.map(({ node, level, lasts }) => (
          <li key={node.version} class={node.version === answer.fact.version ? "here" : ""}>
            <TreeGuides level={level} lasts={lasts} />
            <RowLink row={node} isHere={node.version === answer.fact.version} />
          </li>
        ))}
      </ul>
      {answer.unitLeftOut === 0 ? null : <p class="faint">{`${counted(answer.unitLeftOut, "fact")} more`}</p>}
    </>
  );
}

function RowLink({ row, isHere }: { readonly row: FactRow; readonly isHere: boolean }): preact.JSX.Element {
  const { actions } = usePage();
  return (
    <button
      type="button"
      class="tree-link"
      aria-current={isHere ? "true" : undefined}
      onClick={() => actions.select(row.version)}
    >
      <span class="fact-version">{row.version}</span>
      <span class={`lane-dot lane-${row.lane} ${row.kind}`} />
      <span class="fact-type">{row.type}</span>
      <span class="fact-summary">{row.summary}</span>
    </button>
  );
}
