/** What a key does, wherever the focus is but in a field. */
import { clampVersion } from "./timeline-shape.ts";
import { PANELS, type Panel } from "./place.ts";

/** A key as the browser tells it. */
export interface Key {
  readonly key: string;
  readonly isChord: boolean;
  /** In a field, a list of choices or a dialog, keys belong to that. */
  readonly isTyping: boolean;
  /** In a region that scrolls, keys that scroll belong to it. */
  readonly isScrolling: boolean;
}

/** What is to be done. */
export type Command =
  | { readonly do: "select"; readonly version: number }
  | { readonly do: "mark"; readonly step: 1 | -1 }
  | { readonly do: "panel"; readonly panel: Panel }
  | { readonly do: "filter" | "help" | "follow" | "fork" | "pin" | "theme" | "sessions" };

/** How many facts PageUp and PageDown move: a fiftieth of all, at least 10. */
export function pageOf(last: number): number {
  return Math.max(10, Math.round(last / 50));
}

/** The command of a key; `null`: not ours. */
export function commandOf(key: Key, at: number, last: number): Command | null {
  if (key.isChord || key.isTyping) return null;
  const select = (version: number): Command => ({ do: "select", version: clampVersion(version, last) });
  switch (key.key) {
    case "ArrowRight":
      return select(at + 1);
    case "ArrowLeft":
      return select(at - 1);
    case "ArrowDown":
      return key.isScrolling ? null : select(at + 1);
    case "ArrowUp":
      return key.isScrolling ? null : select(at - 1);
    case "PageDown":
      return key.isScrolling ? null : select(at + pageOf(last));
    case "PageUp":
      return key.isScrolling ? null : select(at - pageOf(last));
    case "Home":
      return key.isScrolling ? null : select(1);
    case "End":
      return key.isScrolling ? null : select(last);
    default:
      return letter(key.key);
  }
}

/** The list of keys for the help, in its order. */
export const KEY_HELP: readonly (readonly [keys: readonly string[], what: string])[] = [
  [["←", "→"], "the fact before, the next fact"],
  [["Page Up", "Page Down"], "a fiftieth of the session back or on"],
  [["Home", "End"], "the first fact, the last"],
  [["[", "]"], "the mark before, the next mark"],
  [["/"], "filter the facts"],
  [["1", "…", "9"], "a panel, in the order of the tabs"],
  [["L"], "follow what is appended, or stop"],
  [["C"], "compare with this fact"],
  [["F"], "fork from this fact"],
  [["S"], "choose a session"],
  [["T"], "light, dark, or as the system"],
  [["?"], "this help"],
];

function letter(key: string): Command | null {
  const panel = /^[1-9]$/.test(key) ? PANELS[Number(key) - 1] : undefined;
  if (panel !== undefined) return { do: "panel", panel };
  switch (key.toLowerCase()) {
    case "[":
      return { do: "mark", step: -1 };
    case "]":
      return { do: "mark", step: 1 };
    case "/":
      return { do: "filter" };
    case "?":
      return { do: "help" };
    case "l":
      return { do: "follow" };
    case "f":
      return { do: "fork" };
    case "c":
      return { do: "pin" };
    case "t":
      return { do: "theme" };
    case "s":
      return { do: "sessions" };
    default:
      return null;
  }
}
