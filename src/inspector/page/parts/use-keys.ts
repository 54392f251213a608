/** Keys that work wherever the focus is. */
import { useEffect } from "preact/hooks";
import { usePage, type Page } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { chosenTheme, showTheme, themeAfter } from "../data/theme.ts";
import { commandOf, type Command, type Key } from "../model/keys.ts";
import { formatSide } from "../model/place.ts";

/** Told to parts that show the theme or hold the filter. */
export const THEME_EVENT = "lemon-theme";

/** Listens to the whole page. */
export function useKeys(): void {
  const page = usePage();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { state } = page.store;
      if (event.defaultPrevented || state.dialog !== null) return;
      const command = commandOf(keyOf(event), atOf(state), state.last);
      if (command === null) return;
      event.preventDefault();
      run(page, command);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [page]);
}

function keyOf(event: KeyboardEvent): Key {
  const target = event.target instanceof Element ? event.target : null;
  return {
    key: event.key,
    isChord: event.ctrlKey || event.metaKey || event.altKey,
    isTyping: isWithin(target, "input, textarea, select, [role=tablist]"),
    isScrolling: isWithin(target, "[data-scrolls]"),
  };
}

function isWithin(target: Element | null, selector: string): boolean {
  return target !== null && target.closest(selector) !== null;
}

function run({ store, actions }: Page, command: Command): void {
  const { state } = store;
  if (state.place.session === null && command.do !== "help" && command.do !== "theme") return;
  switch (command.do) {
    case "select":
      actions.select(command.version);
      break;
    case "mark":
      actions.toMark(command.step);
      break;
    case "panel":
      actions.openPanel(command.panel);
      break;
    case "filter":
      focusFilter(() => actions.openPanel("facts"));
      break;
    case "follow":
      actions.follow(!state.isFollowing);
      break;
    case "pin":
      actions.compareWith(formatSide({ sessionId: state.place.session ?? "", version: atOf(state) }));
      break;
    case "theme":
      showTheme(themeAfter(chosenTheme()));
      dispatchEvent(new Event(THEME_EVENT));
      break;
    case "help":
    case "fork":
    case "sessions":
      actions.show(command.do);
      break;
  }
}

/** On a narrow screen the list is a panel and may not be there yet. */
function focusFilter(openFacts: () => void): void {
  const field = (): HTMLInputElement | null => document.querySelector("#filter");
  if (field() === null) openFacts();
  requestAnimationFrame(() => {
    field()?.focus();
    field()?.select();
  });
}
