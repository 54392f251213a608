/**
 * Applies the hunks of a patch to the bytes of a file. Lines are compared without their line ends, and keep them.
 */

/** One line of a hunk. `text` holds a byte in each character ({@link byteText}). */
export interface HunkLine {
  readonly op: " " | "-" | "+";
  readonly text: string;
  /** The patch says that no line end follows. */
  readonly noEol: boolean;
}

/** A change of consecutive lines. */
export interface Hunk {
  readonly lines: readonly HunkLine[];
  /** Line, from 1, where the patch expects its first old line; `null` in a form without line numbers. */
  readonly expectedLine: number | null;
  /** Lines to look for, one after the other, before the hunk itself. */
  readonly anchors: readonly string[];
  /** The last old line must be the last of the file. */
  readonly atEnd: boolean;
}

/** The bytes after all hunks, or the first that does not fit. */
export type HunksOutcome =
  | { readonly ok: true; readonly bytes: Buffer; readonly additions: number; readonly removals: number }
  | { readonly ok: false; readonly hunk: number; readonly reason: string };

interface Line {
  readonly text: string;
  readonly eol: "" | "\n" | "\r\n";
}

/** Text as the patch has it, one byte of its UTF-8 in each character, so that no byte of a file is ever decoded. */
export function byteText(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Applies all of `hunks`, in order, or none. A byte order mark stays. */
export function applyHunks(file: Buffer, hunks: readonly Hunk[]): HunksOutcome {
  const all = file.toString("latin1");
  const mark = all.startsWith("\u{ef}\u{bb}\u{bf}") ? all.slice(0, 3) : "";
  const lines = splitLines(all.slice(mark.length));
  const result: Line[] = [];
  let done = 0;
  let shift = 0;
  let additions = 0;
  let removals = 0;
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter((line) => line.op !== "+").map((line) => line.text);
    const place = locate(lines, hunk, old, done, shift);
    if (typeof place === "string") return { ok: false, hunk: index + 1, reason: place };
    if (hunk.expectedLine !== null && old.length > 0) shift = place - (hunk.expectedLine - 1);
    result.push(...lines.slice(done, place), ...replaced(lines, place, old.length, hunk));
    done = place + old.length;
    additions += hunk.lines.filter((line) => line.op === "+").length;
    removals += hunk.lines.filter((line) => line.op === "-").length;
  }
  result.push(...lines.slice(done));
  const text = result.map(
    (line, index) => line.text + (line.eol === "" && index < result.length - 1 ? mainEol(lines) : line.eol),
  );
  return { ok: true, bytes: Buffer.from(mark + text.join(""), "latin1"), additions, removals };
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at);
    const end = feed === -1 ? text.length : feed;
    const isCrlf = feed !== -1 && feed > at && text[feed - 1] === "\r";
    lines.push({
      text: text.slice(at, isCrlf ? end - 1 : end),
      eol: feed === -1 ? "" : isCrlf ? "\r\n" : "\n",
    });
    at = end + 1;
  }
  return lines;
}

function mainEol(lines: readonly Line[]): "\n" | "\r\n" {
  const eol = lines.find((line) => line.eol !== "")?.eol;
  return eol === "\r\n" ? eol : "\n";
}

/** Index of the first old line, or why there is none. */
function locate(
  lines: readonly Line[],
  hunk: Hunk,
  old: readonly string[],
  from: number,
  shift: number,
): number | string {
  const start = afterAnchors(lines, hunk.anchors, from);
  if (typeof start === "string") return start;
  if (old.length === 0) {
    if (hunk.anchors.length > 0) return start + 1;
    // `@@ -5,0 +6,2 @@` inserts after line 5; without numbers there is only the end.
    return hunk.expectedLine === null
      ? lines.length
      : Math.min(Math.max(hunk.expectedLine + shift, from), lines.length);
  }
  const found: number[] = [];
  for (let at = start; at + old.length <= lines.length; at += 1) {
    if (hunk.atEnd && at + old.length !== lines.length) continue;
    if (old.every((text, index) => lines[at + index]?.text === text)) found.push(at);
  }
  const expected = hunk.expectedLine === null ? undefined : hunk.expectedLine - 1 + shift;
  const [first] = found;
  if (first === undefined) return absence(lines, old, hunk);
  if (expected !== undefined && found.includes(expected)) return expected;
  if (found.length === 1 || hunk.anchors.length > 0) return first;
  const places = found.slice(0, 5).map((at) => at + 1);
  return `its lines occur ${found.length} times (lines ${places.join(", ")}${found.length > 5 ? ", …" : ""}): add context lines`;
}

/** Index of the last anchor's line, or `from` without anchors. */
function afterAnchors(lines: readonly Line[], anchors: readonly string[], from: number): number | string {
  let at = from;
  for (const [index, anchor] of anchors.entries()) {
    const begin = index === 0 ? at : at + 1;
    const exact = lines.findIndex((line, row) => row >= begin && line.text === anchor);
    const found =
      exact !== -1
        ? exact
        : lines.findIndex((line, row) => row >= begin && line.text.trim() === anchor.trim());
    if (found === -1)
      return `the line "${shown(anchor)}" of its @@ does not occur${begin > 0 ? ` after line ${begin}` : ""}`;
    at = found;
  }
  return at;
}

function absence(lines: readonly Line[], old: readonly string[], hunk: Hunk): string {
  const loose = (text: string | undefined): string | undefined => text?.replace(/\s+/g, " ").trim();
  const near = lines.findIndex((_line, at) =>
    old.every((text, index) => loose(lines[at + index]?.text) === loose(text)),
  );
  if (near !== -1) return `its lines differ from line ${near + 1} on in white space only`;
  const longest = longestStart(lines, old);
  const where = hunk.atEnd ? " at the end of the file" : "";
  if (longest.length === 0) return `its first line "${shown(old[0] ?? "")}" does not occur${where}`;
  return `its lines do not occur${where}: after line ${longest.at + longest.length} it expects "${shown(old[longest.length] ?? "")}" but the file has "${shown(lines[longest.at + longest.length]?.text ?? "its end")}"`;
}

function longestStart(lines: readonly Line[], old: readonly string[]): { at: number; length: number } {
  let best = { at: 0, length: 0 };
  for (let at = 0; at < lines.length; at += 1) {
    let length = 0;
    while (length < old.length && lines[at + length]?.text === old[length]) length += 1;
    if (length > best.length) best = { at, length };
  }
  return best;
}

function shown(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString();
  return text.length <= 120 ? text : `${[...text].slice(0, 119).join("")}…`;
}

function replaced(lines: readonly Line[], place: number, count: number, hunk: Hunk): Line[] {
  const region = lines.slice(place, place + count);
  const eol = [...region, lines[place - 1], lines[place + count]].find(
    (line) => line !== undefined && line.eol !== "",
  )?.eol;
  const style = eol ?? mainEol(lines);
  const result: Line[] = [];
  let at = 0;
  for (const line of hunk.lines) {
    const original = region[at];
    if (line.op === "+") result.push({ text: line.text, eol: line.noEol ? "" : style });
    else at += 1;
    if (line.op === " " && original !== undefined) result.push(original);
  }
  const last = result.at(-1);
  if (last === undefined || place + count !== lines.length) return result;
  // The hunk reaches the end of the file. Without a word about it in the patch, a missing last line end stays missing.
  const speaks = hunk.lines.some((line) => line.noEol);
  const lastNew = hunk.lines.findLast((line) => line.op !== "-");
  const wasMissing = lines.at(-1)?.eol === "";
  const isMissing = speaks ? lastNew?.noEol === true : wasMissing;
  return [
    ...result.slice(0, -1).map((line) => (line.eol === "" ? { ...line, eol: style } : line)),
    { ...last, eol: isMissing ? "" : style },
  ];
}
