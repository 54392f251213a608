import { useState } from "preact/hooks";
import type { ForkAnswer, ForkRequest } from "../../api.ts";
import { asFault, type ApiFault } from "../data/client.ts";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { commandsOf } from "../model/fork-commands.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { Notice } from "./notice.tsx";

/** Makes a session that begins as this one was at the selected fact. */
export function ForkDialog(): preact.JSX.Element {
  const { client, store } = usePage();
  const [at, setAt] = useState(String(atOf(store.state)));
  const last = useStore((state) => state.last);
  const [into, setInto] = useState("");
  const [state, setState] = useState<"asked" | "busy" | ForkAnswer | ApiFault>("asked");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setState("busy");
    const folder = into.trim();
    const request: ForkRequest = {
      sessionId: store.state.place.session ?? "",
      at: Number(at),
      ...(folder === "" ? {} : { into: folder }),
    };
    try {
      setState(await client.post<ForkAnswer>("/api/fork", request));
    } catch (error) {
      setState(asFault(error));
    }
  };
  if (typeof state === "object" && "forkedFrom" in state) return <Forked answer={state} />;
  return (
    <Dialog title="Fork from here">
      <form class="form" onSubmit={(event) => void submit(event)}>
        <label>
          <span>After fact</span>
          <input
            type="number"
            required
            min={1}
            max={last}
            value={at}
            onInput={(event) => setAt(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Files into</span>
          <input
            value={into}
            placeholder="a folder that is new or empty; leave it out to keep the folder of the session"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setInto(event.currentTarget.value)}
          />
        </label>
        {state instanceof Error ? (
          <Notice tone="bad" title="It was not forked">
            {state.message}
          </Notice>
        ) : (
          <p class="faint">
            The new session shares the history up to there and goes its own way after. This one does not
            change.
          </p>
        )}
        <footer>
          <button type="submit" class="button primary" disabled={state === "busy"}>
            <Icon name="fork" />
            <span>{state === "busy" ? "Forking…" : "Fork"}</span>
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Forked({ answer }: { readonly answer: ForkAnswer }): preact.JSX.Element {
  const { actions } = usePage();
  return (
    <Dialog title="Forked">
      <div class="form" role="status">
        <p>
          <code class="strong">{answer.sessionId}</code>
          {` begins after fact ${answer.forkedFrom.at} of ${answer.forkedFrom.sessionId}, in `}
          <code>{answer.cwd}</code>
        </p>
        {commandsOf(answer).map(({ what, command }) => (
          <div class="command" key={what}>
            <span>{what}</span>
            <code>{command}</code>
            <button
              type="button"
              class="icon-button"
              aria-label={`Copy: ${command}`}
              title="Copy"
              onClick={() => void navigator.clipboard.writeText(command)}
            >
              <Icon name="copy" />
            </button>
          </div>
        ))}
        <footer>
          <button type="button" class="button primary" onClick={() => actions.openSession(answer.sessionId)}>
            <span>Look at it</span>
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
