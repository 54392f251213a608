/** A unified diff of two texts, within bounds that hold for any two texts. */
/** Lines around a change. */
const CONTEXT = 3;

/**
 * Beyond these the changed part is shown as a whole, all old lines before all new ones: to find what two large texts
 * that have little in common share takes longer than anyone waits. Fixed, so that no diff depends on the machine.
 */
const MAX_CHARACTERS = 1_000_000;
const MAX_EDITS = 2_000;

const NO_NEWLINE = "\\ No newline at end of file";

/**
 * Minus is `before`, plus is `after`. Empty for equal texts. Ends with a line feed otherwise.
 *
 * @param names - what stands behind the path of each
 */
export async function unifiedDiff(
  path: string,
  before: string,
  after: string,
  [old, now]: readonly [string, string] = ["checkpoint", "current"],
): Promise<string> {
  if (before === after) return "";
  const hunks = await hunksOf(before, after);
  return [`--- ${shown(path)} (${old})`, `+++ ${shown(path)} (${now})`, ...hunks, ""].join("\n");
}

async function hunksOf(before: string, after: string): Promise<string[]> {
  const old = linesOf(before);
  const now = linesOf(after);
  const start = commonStart(old, now);
  const end = commonEnd(old, now, start);
  // What is alike at both ends is not compared again, but for the lines of context.
  const from = Math.max(0, start - CONTEXT);
  const oldPart = old.slice(from, Math.min(old.length, old.length - end + CONTEXT));
  const nowPart = now.slice(from, Math.min(now.length, now.length - end + CONTEXT));
  const found = await compared(oldPart.join(""), nowPart.join(""));
  const hunks = found ?? [whole(oldPart, nowPart, { start: start - from, end: Math.min(end, CONTEXT) })];
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${place(oldStart + from, oldLines)} +${place(newStart + from, newLines)} @@`,
    ...lines,
  ]);
}

interface FoundHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** `null`: too long, or too different. */
async function compared(before: string, after: string): Promise<readonly FoundHunk[] | null> {
  if (before.length + after.length > MAX_CHARACTERS) return null;
  const { structuredPatch } = await import("diff");
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return patch?.hunks ?? null;
}

function whole(
  old: readonly string[],
  now: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
): FoundHunk {
  const marked = (mark: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) => (line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, NO_NEWLINE]));
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [
      ...marked(" ", old.slice(0, start)),
      ...marked("-", old.slice(start, old.length - end)),
      ...marked("+", now.slice(start, now.length - end)),
      ...marked(" ", old.slice(old.length - end)),
    ],
  };
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at += 1;
  return at;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

/** As the unified form has it, a range without lines starts at the line before. */
function place(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

/** A name with a line feed in it would end the header. */
function shown(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}
