/**
 * The text that hooks add to what the model is shown: cleaned, joined and capped. Pure; docs/reference/hooks.md,
 * "Context".
 */

/** Code points of the joined text of one event or one call, separators and the sign of a cut included. */
export const CONTEXT_CAP = 4_000;

/** The line before the text. */
export const CONTEXT_LABEL = "[hook context]";

const between = "\n\n";
const cutSign = "…";

// C0 but tab and line feed, DEL, C1, and the marks that turn the direction of what follows.
const unsafe = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g; // oxlint-disable-line no-control-regex

/**
 * What is left of one text: line ends are line feeds, unsafe controls are gone, blanks at both ends too.
 *
 * @returns `null` for what is no text, holds half a surrogate pair, or is empty then
 */
export function cleanContext(value: unknown): string | null {
  if (typeof value !== "string" || !value.isWellFormed()) return null;
  const text = withoutControls(value).trim();
  return text === "" ? null : text;
}

/** A text without controls that could move a terminal's cursor or turn the reading direction. */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(unsafe, "");
}

/**
 * Joins the texts in their order, one blank line between two, and cuts at the cap. Values that are no usable text are
 * passed over.
 *
 * @returns `null` when nothing is left
 */
export function joinContext(values: readonly unknown[], cap: number = CONTEXT_CAP): string | null {
  const texts = values.map(cleanContext).filter((text) => text !== null);
  return texts.length === 0 ? null : cutAt(texts.join(between), cap);
}

/** The joined text under its label; `null` when nothing is left. */
export function contextBlock(values: readonly unknown[]): string | null {
  const joined = joinContext(values);
  return joined === null ? null : `${CONTEXT_LABEL}\n${joined}`;
}

/**
 * A text of at most `cap` code points: what is longer keeps one less and ends in `…`. Never half a surrogate pair.
 *
 * @param cap - 1 or more
 */
export function cutAt(text: string, cap: number): string {
  if (text.length <= cap) return text;
  let kept = 0;
  let end = 0;
  for (const character of text) {
    if (kept === cap) return text.slice(0, end) + cutSign;
    kept += 1;
    if (kept < cap) end += character.length;
  }
  return text;
}
