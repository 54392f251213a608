/** Text of others, made fit for a terminal: a model, a file name and a tool may hold sequences that move the cursor. */

/** What stands in place of data that was left out of a bundle. */
export const UNAVAILABLE = "unavailable";

/**
 * Control characters, and the marks that turn the direction of what follows, become visible; line feeds, tabs and the
 * colours that this command writes stay.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u202A-\u202E\u2066-\u2069](\[\d{1,2}m)?/gu,
    (found, colour: string | undefined) => {
      const isKept = found === "\n" || found === "\t" || (found.startsWith("\u001B") && colour !== undefined);
      return isKept ? found : `\uFFFD${colour ?? ""}`;
    },
  );
}

/** A file's name, or another text that must stay on its line: line feeds and tabs, colours too, become visible. */
export function namePrintable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, (found) => {
    const escaped = { "\n": "\\n", "\t": "\\t", "\r": "\\r" }[found];
    return escaped ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The text as one line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(line.slice(0, (width + 1) * 2));
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join("")}…`;
}

/** Rows as lines, each column as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Epoch milliseconds as `2026-11-30T12:00:00Z`. A clock of a test may give times that a date can't hold. */
export function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : `${date.toISOString().slice(0, 19)}Z`;
}
