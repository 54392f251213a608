/**
 * Lines of a file and whose they are, carried from one content to the next. docs/reference/blame.md, "How lines are carried"
 */
import { isUtf8 } from "node:buffer";
import { diffArrays } from "diff";

/** Milliseconds that comparing two contents may take; past it, what lies between their equal ends counts as new. */
const DIFF_MS = 1_000;

/** A file's lines, and the owner of each. */
export interface OwnedLines<Owner> {
  readonly lines: readonly string[];
  /** As many as there are lines. */
  readonly owners: readonly Owner[];
}

/** The lines of a text, without their line feeds. A line feed at the end begins no line, and one that is missing is none of its own. */
export function linesOf(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Whether bytes are a text: what has a NUL or is no UTF-8 is none, and has no lines. */
export function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** The lines after a change: those that stay keep their owners, all others are the changer's. */
export function carry<Owner>(
  { lines, owners }: OwnedLines<Owner>,
  next: readonly string[],
  owner: Owner,
): OwnedLines<Owner> {
  const shorter = Math.min(lines.length, next.length);
  let head = 0;
  while (head < shorter && lines[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && lines[lines.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1;
  const middle = between(
    { lines: lines.slice(head, lines.length - tail), owners: owners.slice(head, owners.length - tail) },
    next.slice(head, next.length - tail),
    owner,
  );
  const last = tail === 0 ? [] : owners.slice(-tail);
  return { lines: next, owners: [...owners.slice(0, head), ...middle, ...last] };
}

function between<Owner>(
  { lines, owners }: OwnedLines<Owner>,
  next: readonly string[],
  owner: Owner,
): readonly Owner[] {
  if (lines.length === 0 || next.length === 0) return next.map(() => owner);
  // Undefined when the time is up, though its type does not say so.
  const parts = diffArrays([...lines], [...next], { timeout: DIFF_MS }) as
    | ReturnType<typeof diffArrays>
    | undefined;
  if (parts === undefined) return next.map(() => owner);
  let at = 0;
  return parts.flatMap(({ added, removed, count }) => {
    if (added) return Array.from({ length: count }, () => owner);
    const kept = owners.slice(at, at + count);
    at += count;
    return removed ? [] : kept;
  });
}
