import { useEffect, useRef, useState } from "preact/hooks";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { nextMatch } from "../model/fact-window.ts";
import { count } from "../model/format.ts";
import { Icon } from "./icon.tsx";

const TYPING_MS = 180;

/** The filter of the list. Enter goes to the next match, Escape empties it. */
export function FilterField(): preact.JSX.Element {
  const { actions, store } = usePage();
  const filter = useStore(({ place }) => place.filter);
  const matches = useStore((state) => state.matches);
  const last = useStore((state) => state.last);
  const [text, setText] = useState(filter);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(filter), [filter]);

  const change = (value: string): void => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => actions.filterBy(value.trim()), TYPING_MS);
  };
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    if (event.key === "Escape") {
      change("");
      event.currentTarget.blur();
    } else if (event.key === "Enter") {
      const next = nextMatch({ last, matches }, atOf(store.state), event.shiftKey ? -1 : 1);
      if (next !== null) actions.select(next);
    }
  };
  return (
    <div class="filter">
      <Icon name="search" />
      <input
        id="filter"
        type="search"
        aria-label="Filter facts"
        placeholder="Filter  /"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <span class="filter-count" role="status">
        {matches === null ? count(last) : `${count(matches.length)} of ${count(last)}`}
      </span>
    </div>
  );
}
