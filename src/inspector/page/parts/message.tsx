import { useState } from "preact/hooks";
import type { ShownMessage } from "../../api.ts";
import { count } from "../model/format.ts";
import { argsLine, messageView, type ResultView } from "../model/message-view.ts";
import { FactLink } from "./fact-detail.tsx";
import { Prose } from "./prose.tsx";

/** One message of the conversation. */
export function Message(props: {
  readonly shown: ShownMessage;
  readonly isNewest: boolean;
  readonly onWhole?: () => void;
}): preact.JSX.Element {
  const { shown, isNewest } = props;
  const view = messageView(shown.message);
  return (
    <article
      class={`message ${view.role}${isNewest ? " newest" : ""}`}
      aria-label={`${view.who}, message ${shown.index + 1}`}
    >
      <header>
        <span class="who">{view.who}</span>
        <FactLink version={shown.message.version} text={`#${shown.message.version}`} />
      </header>
      {view.thoughts === "" ? null : (
        <details class="thoughts">
          <summary>Thoughts</summary>
          <Prose text={view.thoughts} />
        </details>
      )}
      {view.text === "" ? null : <Prose text={view.text} />}
      {view.images === 0 ? null : (
        <p class="faint">{view.images === 1 ? "an image" : `${view.images} images`}</p>
      )}
      {view.calls.map((call) => (
        <details class="call" key={call.callId}>
          <summary>
            <span class="call-name">{call.name}</span>
            <span class="call-args">{argsLine(call.args)}</span>
          </summary>
          <pre tabIndex={0}>{JSON.stringify(call.args, null, 2)}</pre>
        </details>
      ))}
      {view.results.map((result) => (
        <Result key={result.callId} result={result} />
      ))}
      {shown.cutChars === 0 || props.onWhole === undefined ? null : (
        <button type="button" class="link" onClick={props.onWhole}>
          {`${count(shown.cutChars)} characters are cut; show all`}
        </button>
      )}
    </article>
  );
}

const FEW = 8;

function Result({ result }: { readonly result: ResultView }): preact.JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const lines = result.text.split("\n");
  const shown = isWhole ? lines : lines.slice(0, FEW);
  return (
    <div class={result.isError ? "result failed" : "result"}>
      <p class="result-head">
        <span class="call-name">{result.name}</span>
        {result.isError ? <span class="badge bad">error</span> : null}
      </p>
      <pre tabIndex={0} role="group" aria-label={`Result of ${result.name}`}>
        {shown.join("\n")}
      </pre>
      {lines.length <= FEW ? null : (
        <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "less" : `${count(lines.length - FEW)} more lines`}
        </button>
      )}
    </div>
  );
}
