/** How two texts differ, line by line. */
import { structuredPatch } from "diff";
import type { DiffHunk, FileDiffAnswer } from "../api.ts";

/** Larger files are not compared. */
const MAX_DIFF_BYTES = 1_048_576;
/** How long a comparison may take; what takes longer is shown as replaced. */
const MAX_DIFF_MS = 1_000;
const CONTEXT_LINES = 3;

/** The bytes of a file; `null` for no file. */
export type Bytes = Uint8Array | null;

/** Compares two files. */
export function compareBytes(a: Bytes, b: Bytes): Pick<FileDiffAnswer, "shown" | "hunks"> {
  const [before, after] = [a ?? new Uint8Array(), b ?? new Uint8Array()];
  if (Buffer.compare(before, after) === 0) return { shown: "equal", hunks: [] };
  if (before.length > MAX_DIFF_BYTES || after.length > MAX_DIFF_BYTES)
    return { shown: "too_large", hunks: [] };
  const [textBefore, textAfter] = [textOf(before), textOf(after)];
  if (textBefore === null || textAfter === null) return { shown: "binary", hunks: [] };
  return { shown: "text", hunks: hunksOf(textBefore, textAfter) };
}

function hunksOf(before: string, after: string): DiffHunk[] {
  const options = { context: CONTEXT_LINES, timeout: MAX_DIFF_MS };
  const patch = structuredPatch("a", "b", before, after, undefined, undefined, options);
  return patch?.hunks ?? [replaced(before, after)];
}

/** Everything goes and everything comes: what is told of texts that differ too much to be compared in time. */
function replaced(before: string, after: string): DiffHunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  return {
    oldStart: old.length === 0 ? 0 : 1,
    oldLines: old.length,
    newStart: now.length === 0 ? 0 : 1,
    newLines: now.length,
    lines: [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)],
  };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return text.endsWith("\n") ? lines.slice(0, -1) : lines;
}

/** UTF-8 without a NUL is text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
