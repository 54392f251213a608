import { useEffect, useState } from "preact/hooks";
import { usePage, useStore } from "../data/page.ts";
import { formatSide, parseSide, type Side } from "../model/place.ts";
import { Icon } from "./icon.tsx";

/** The two sides, of which A can be written by hand. */
export function CompareSides({ a, b }: { readonly a: Side | null; readonly b: Side }): preact.JSX.Element {
  const { actions } = usePage();
  const sessions = useStore((state) => state.sessions?.sessions ?? null);
  const written = a === null ? "" : formatSide(a);
  const [text, setText] = useState(written);
  useEffect(() => setText(written), [written]);
  const submit = (event: Event): void => {
    event.preventDefault();
    actions.compareWith(parseSide(text.trim()) === null ? null : text.trim());
  };
  const swap = (): void => {
    if (a === null) return;
    actions.openSession(a.sessionId, a.version);
    actions.compareWith(formatSide(b));
  };
  return (
    <form class="compare-sides" onSubmit={submit}>
      <label>
        <span class="side-name">A</span>
        <input
          list="sessions-known"
          aria-label="Side A, SESSION or SESSION@FACT"
          placeholder="SESSION@FACT"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={submit}
        />
      </label>
      <datalist id="sessions-known">
        {(sessions ?? []).map(({ sessionId, version }) => (
          <option key={sessionId} value={`${sessionId}@${version}`} />
        ))}
      </datalist>
      <button
        type="button"
        class="icon-button"
        aria-label="Swap A and B"
        title="Swap A and B"
        disabled={a === null}
        onClick={swap}
      >
        <Icon name="compare" />
      </button>
      <p>
        <span class="side-name">B</span>
        <code>{formatSide(b)}</code>
      </p>
      <button
        type="button"
        class="icon-button"
        aria-label="Drop A"
        title="Drop A"
        disabled={a === null}
        onClick={() => actions.compareWith(null)}
      >
        <Icon name="close" />
      </button>
    </form>
  );
}
