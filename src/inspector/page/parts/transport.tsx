import { useEffect, useReducer, useState } from "preact/hooks";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { clock, count } from "../model/format.ts";
import { rowOfVersion } from "../model/fact-window.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Steps through the facts: first, back, a number, on, last. */
export function Transport(): preact.JSX.Element {
  const { actions } = usePage();
  const at = useStore(atOf);
  const last = useStore((state) => state.last);
  const isFollowing = useStore((state) => state.isFollowing);
  const line = useStore((state) => state.line);
  const button = (icon: IconName, label: string, to: number, isOff: boolean): preact.JSX.Element => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={() => actions.select(to)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="transport" role="group" aria-label="Steps">
      {button("first", "First fact (Home)", 1, at <= 1)}
      {button("back", "Fact before (←)", at - 1, at <= 1)}
      <VersionField at={at} last={last} onVersion={actions.select} />
      {button("on", "Next fact (→)", at + 1, at >= last)}
      {button("last", "Last fact (End)", last, at >= last)}
      <Here at={at} />
      <button
        type="button"
        class="toggle live"
        aria-pressed={isFollowing}
        title="Follow what is appended (L)"
        onClick={() => actions.follow(!isFollowing)}
      >
        <span class={`dot ${line}`} />
        {isFollowing ? "Following" : "Follow"}
      </button>
    </div>
  );
}

function VersionField(props: {
  readonly at: number;
  readonly last: number;
  readonly onVersion: (version: number) => void;
}): preact.JSX.Element {
  const [text, setText] = useState(String(props.at));
  useEffect(() => setText(String(props.at)), [props.at]);
  const submit = (): void => {
    const version = Number(text.replaceAll(/\D/g, ""));
    if (version >= 1) props.onVersion(version);
    else setText(String(props.at));
  };
  return (
    <form
      class="version-field"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <input
        aria-label="Version"
        inputMode="numeric"
        value={text}
        size={Math.max(3, String(props.last).length)}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={submit}
      />
      <span>{`/ ${count(props.last)}`}</span>
    </form>
  );
}

/** The selected fact in a line; what is not fetched yet is left blank. */
function Here({ at }: { readonly at: number }): preact.JSX.Element {
  const { facts } = usePage();
  const matches = useStore((state) => state.matches);
  const last = useStore((state) => state.last);
  const [, redraw] = useReducer<number, void>((turn) => turn + 1, 0);
  useEffect(() => facts.watch(() => redraw()), [facts]);
  const row = facts.rowAt(rowOfVersion({ last, matches }, at));
  return (
    <p class="here">
      {row === undefined || row.version !== at ? null : (
        <>
          <span class={`lane-dot lane-${row.lane} ${row.kind}`} />
          <b>{row.type}</b>
          <span class="here-words">{row.summary}</span>
          <time>{clock(row.at)}</time>
        </>
      )}
    </p>
  );
}
