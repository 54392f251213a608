/** Hunks of a unified diff as numbered lines. */
import type { DiffHunk } from "../../api.ts";

/** A line as it is drawn. */
export interface DiffLine {
  readonly kind: "hunk" | "same" | "added" | "removed" | "note";
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly text: string;
}

/** Numbers the lines of hunks, each hunk under its head. */
export function diffLines(hunks: readonly DiffHunk[]): DiffLine[] {
  return hunks.flatMap((hunk) => {
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    const head: DiffLine = {
      kind: "hunk",
      oldLine: null,
      newLine: null,
      text: `@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    };
    const lines = hunk.lines.map((line): DiffLine => {
      const text = line.slice(1);
      switch (line[0]) {
        case "-":
          return { kind: "removed", oldLine: oldLine++, newLine: null, text };
        case "+":
          return { kind: "added", oldLine: null, newLine: newLine++, text };
        case "\\":
          return { kind: "note", oldLine: null, newLine: null, text: text.trim() };
        default:
          return { kind: "same", oldLine: oldLine++, newLine: newLine++, text };
      }
    });
    return [head, ...lines];
  });
}

/** How many lines were added and removed. */
export function diffCounts(hunks: readonly DiffHunk[]): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
