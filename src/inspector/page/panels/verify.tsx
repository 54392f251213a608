import { useState } from "preact/hooks";
import type { DivergenceRow, VerifyAnswer } from "../../api.ts";
import { asFault, sessionPath, type ApiFault } from "../data/client.ts";
import { usePage, useStore } from "../data/page.ts";
import { brief } from "../model/compare.ts";
import { count, counted } from "../model/format.ts";
import { FactLink } from "../parts/fact-detail.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";

/** Decides the whole session again and shows where that differs from the log. */
export function VerifyPanel(): preact.JSX.Element {
  const { client } = usePage();
  const session = useStore(({ place }) => place.session);
  const [state, setState] = useState<"idle" | "busy" | VerifyAnswer | ApiFault>("idle");
  const run = async (): Promise<void> => {
    setState("busy");
    try {
      setState(await client.get<VerifyAnswer>(sessionPath(session ?? "", "/verify")));
    } catch (error) {
      setState(asFault(error));
    }
  };
  return (
    <div class="verify">
      <div class="panel-bar">
        <p>Feeds the inputs of the session to its machines and compares every decision with the log.</p>
        <button type="button" class="button primary" disabled={state === "busy"} onClick={() => void run()}>
          <span>{state === "busy" ? "Replaying…" : state === "idle" ? "Replay" : "Replay again"}</span>
        </button>
      </div>
      <div role="status">
        {state === "idle" || state === "busy" ? null : state instanceof Error ? (
          <Notice tone="bad" title="It was not replayed">
            {state.message}
          </Notice>
        ) : (
          <Verdict answer={state} />
        )}
      </div>
    </div>
  );
}

function Verdict({ answer }: { readonly answer: VerifyAnswer }): preact.JSX.Element {
  const { facts, divergences, stateHash } = answer;
  if (divergences.length === 0)
    return (
      <Notice tone="good" title="The log says what was decided">
        {`${count(facts)} facts, no divergence.`} State <code>{stateHash.slice(0, 16)}</code>
      </Notice>
    );
  return (
    <>
      <p class="verdict-line">
        <Icon name="error" />
        <b>{counted(divergences.length, "divergence")}</b>
        {` in ${counted(facts, "fact")}`}
      </p>
      {divergences.map((divergence, index) => (
        <Divergence key={index} divergence={divergence} />
      ))}
    </>
  );
}

function Divergence({ divergence }: { readonly divergence: DivergenceRow }): preact.JSX.Element {
  const { version, position, kind, expected, actual, differences, cause, explanation } = divergence;
  return (
    <article class="divergence" aria-label={`Divergence at fact ${version}`}>
      <header>
        <span class="badge bad">{kind.replaceAll("_", " ")}</span>
        <FactLink version={version} />
        {position === null ? null : <span class="faint">{`position ${position}`}</span>}
        {cause === null || cause < 1 || cause === version ? null : (
          <span class="faint">
            {"follows from "}
            <FactLink version={cause} />
          </span>
        )}
      </header>
      <p>{explanation}</p>
      {differences.length === 0 ? null : (
        <table class="rows sided">
          <thead>
            <tr>
              <th>Member</th>
              <th>Recorded</th>
              <th>Now</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((difference) => (
              <tr key={difference.path}>
                <th scope="row">{difference.path === "" ? "all of it" : difference.path}</th>
                <td class="removed">{cellOf(difference.expected)}</td>
                <td class="added">{cellOf(difference.actual)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details>
        <summary>Both as a whole</summary>
        <div class="sides">
          <Side name="recorded" value={expected} tone="removed" />
          <Side name="now" value={actual} tone="added" />
        </div>
      </details>
    </article>
  );
}

function cellOf(value: unknown): string {
  return value === null ? "–" : brief(value);
}

function Side({
  name,
  value,
  tone,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly tone: string;
}): preact.JSX.Element {
  return (
    <div class={`side ${tone}`}>
      <h4>{name}</h4>
      <pre tabIndex={0} role="group" aria-label={name}>
        {JSON.stringify(value, null, 2) ?? "nothing"}
      </pre>
    </div>
  );
}
