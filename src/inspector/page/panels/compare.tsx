import { useMemo } from "preact/hooks";
import type { DiffAnswer, MessagesAnswer, StateAnswer } from "../../api.ts";
import { pathOf, sessionPath } from "../data/client.ts";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { useQuery } from "../data/use-query.ts";
import { changedParts, splitMessages, type ChangedPart } from "../model/compare.ts";
import { count, counted } from "../model/format.ts";
import { formatSide, parseSide, type Side } from "../model/place.ts";
import { textAt } from "../model/views.ts";
import { Answered } from "../parts/answered.tsx";
import { CompareSides } from "../parts/compare-sides.tsx";
import { Message } from "../parts/message.tsx";
import { Notice } from "../parts/notice.tsx";

/** Two versions of a session, or two sessions, side by side: A was kept, B is what is looked at. */
export function ComparePanel(): preact.JSX.Element {
  const { actions } = usePage();
  const session = useStore(({ place }) => place.session) ?? "";
  const against = useStore(({ place }) => place.against);
  const at = useStore(atOf);
  const a = against === null ? null : parseSide(against);
  const b: Side = { sessionId: session, version: at };
  return (
    <div class="compare">
      <CompareSides a={a} b={b} />
      {a === null ? (
        <Notice title="Keep one side first">
          <p>Keep this fact as A, then go to another fact or session: that is B.</p>
          <button type="button" class="button primary" onClick={() => actions.compareWith(formatSide(b))}>
            <span>{`Keep fact ${at} as A`}</span>
          </button>
        </Notice>
      ) : (
        <Difference a={a} b={b} />
      )}
    </div>
  );
}

function Difference({ a, b }: { readonly a: Side; readonly b: Side }): preact.JSX.Element {
  const diff = useQuery<DiffAnswer>(pathOf("/api/diff", { a: formatSide(a), b: formatSide(b) }));
  const before = useQuery<StateAnswer>(sessionPath(a.sessionId, "/state", { at: a.version }));
  const after = useQuery<StateAnswer>(sessionPath(b.sessionId, "/state", { at: b.version }));
  return (
    <Answered query={diff}>
      {(answer) =>
        before.answer === null || after.answer === null ? null : (
          <>
            <Figures before={before.answer} after={after.answer} />
            <Parts answer={answer} before={before.answer} after={after.answer} />
            <Conversations a={answer.a} b={answer.b} before={before.answer} after={after.answer} />
          </>
        )
      }
    </Answered>
  );
}

function Figures({
  before,
  after,
}: {
  readonly before: StateAnswer;
  readonly after: StateAnswer;
}): preact.JSX.Element {
  const rows: readonly (readonly [string, (state: StateAnswer) => string])[] = [
    ["status", ({ views }) => textAt(views, "/session/status")],
    ["model", ({ views }) => textAt(views, "/session/settings/model")],
    ["messages", ({ messageCount }) => count(messageCount)],
    ["todos done", ({ todoProgress }) => `${todoProgress.completed} of ${todoProgress.total}`],
    ["output tokens", ({ views }) => count(Number(textAt(views, "/session/usage/outputTokens")))],
  ];
  return (
    <table class="rows sided">
      <thead>
        <tr>
          <th />
          <th>A</th>
          <th>B</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, of]) => (
          <tr key={name} class={of(before) === of(after) ? "same" : "differs"}>
            <th scope="row">{name}</th>
            <td>{of(before)}</td>
            <td>{of(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Parts(props: {
  readonly answer: DiffAnswer;
  readonly before: StateAnswer;
  readonly after: StateAnswer;
}): preact.JSX.Element {
  const { answer, before, after } = props;
  const parts = useMemo(() => changedParts(answer, before, after), [answer, before, after]);
  if (parts.length === 0) return <Notice tone="good" title="The states are equal" />;
  return (
    <>
      {parts.map((part) => (
        <Part key={part.part} part={part} />
      ))}
      {answer.patchLeftOut === 0 ? null : (
        <p class="faint">{`${counted(answer.patchLeftOut, "difference")} more`}</p>
      )}
    </>
  );
}

function Part({ part: { part, summary, changes } }: { readonly part: ChangedPart }): preact.JSX.Element {
  return (
    <section class="changed" aria-label={part}>
      <h3>{part}</h3>
      {summary.length === 0 ? null : (
        <ul class="summary">
          {summary.map((line, index) => (
            <li key={index}>{line}</li>
          ))}
        </ul>
      )}
      {changes.length === 0 ? null : (
        <details>
          <summary>{counted(changes.length, "member")}</summary>
          <table class="rows sided">
            <tbody>
              {changes.slice(0, 200).map(({ pointer, before, after }, index) => (
                <tr key={index}>
                  <th scope="row">{pointer.slice(part.length + 2)}</th>
                  <td class="removed">{before ?? "–"}</td>
                  <td class="added">{after ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  );
}

const MOST = 400;

function Conversations(props: {
  readonly a: DiffAnswer["a"];
  readonly b: DiffAnswer["b"];
  readonly before: StateAnswer;
  readonly after: StateAnswer;
}): preact.JSX.Element | null {
  const from = Math.max(0, Math.min(props.before.messageCount, props.after.messageCount) - MOST / 2);
  const path = (side: DiffAnswer["a"]): string =>
    sessionPath(side.sessionId, "/messages", { at: side.version, from, limit: MOST, chars: 1000 });
  const left = useQuery<MessagesAnswer>(path(props.a));
  const right = useQuery<MessagesAnswer>(path(props.b));
  if (left.answer === null || right.answer === null) return null;
  const { shared, before, after } = splitMessages(left.answer.messages, right.answer.messages);
  if (before.length + after.length === 0) return null;
  return (
    <section class="changed" aria-label="Conversations">
      <h3>conversation</h3>
      <p class="faint">{`${counted(from + shared, "message")} alike, then:`}</p>
      <div class="columns">
        {(
          [
            ["A", before],
            ["B", after],
          ] as const
        ).map(([name, messages]) => (
          <div key={name} role="group" aria-label={name}>
            <h4>{name}</h4>
            {messages.length === 0 ? <p class="faint">nothing more</p> : null}
            {messages.map((shown) => (
              <Message key={shown.index} shown={shown} isNewest={false} />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}
