/** Anything in one short line. */

/** Characters of a summary, at most. */
export const SUMMARY_CHARS = 200;

/** Text on one line, cut at so many characters; what was cut is told by an ellipsis. */
export function oneLine(text: string, maxChars = SUMMARY_CHARS): string {
  // A long text is cut first, since only its beginning is looked at; runs of white space can only make it shorter.
  const beginning = text.length > 4 * maxChars ? text.slice(0, 4 * maxChars) : text;
  const line = beginning.replace(/\s+/g, " ").trim();
  if (line.length <= maxChars && beginning.length === text.length) return line;
  return `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** A value as a summary shows it: scalars as they are, the rest as JSON. */
export function shortValue(value: unknown, maxChars = 60): string {
  if (typeof value === "string") return oneLine(value, maxChars);
  return oneLine(JSON.stringify(value) ?? "", maxChars);
}

/** Members of an object as `name=value`, those without a value left out. */
export function membersLine(data: unknown): string {
  if (typeof data !== "object" || data === null) return shortValue(data, SUMMARY_CHARS);
  const shown: string[] = [];
  let chars = 0;
  for (const [name, value] of Object.entries(data)) {
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    const text = `${name}=${shortValue(value)}`;
    shown.push(text);
    chars += text.length;
    if (chars > SUMMARY_CHARS) break;
  }
  return oneLine(shown.join(" "));
}

/** The texts of content blocks; an image is named. */
export function contentLine(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return oneLine(content.map(({ type, text }) => text ?? `[${type}]`).join(" "));
}
