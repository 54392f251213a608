/**
 * Unified diffs, plain or of git.
 */
import type { StructuredPatch, StructuredPatchHunk } from "diff";
import { messageOf } from "../errors.ts";
import { byteText, type Hunk, type HunkLine } from "../workspace/index.ts";
import { type FilePatch, InvalidPatchError } from "./file-patch.ts";

/** Reads the form; `text` has LF line ends. @throws InvalidPatchError */
export async function parseUnifiedPatch(text: string): Promise<FilePatch[]> {
  const { parsePatch } = await import("diff");
  let parsed: StructuredPatch[];
  try {
    parsed = parsePatch(text);
  } catch (first) {
    try {
      // Models count badly: the lines themselves say how many there are.
      parsed = parsePatch(withTrueCounts(text));
    } catch {
      throw new InvalidPatchError(`The patch is no unified diff: ${messageOf(first)}`, first);
    }
  }
  // The parser takes any text for a patch of one file without hunks.
  const files = parsed.filter((file) => file.hunks.length > 0 || saysSomething(file));
  if (files.length === 0) {
    throw new InvalidPatchError(
      'The patch holds no hunk: give a unified diff ("--- a/x", "+++ b/x", "@@ -1,3 +1,4 @@") or the form "*** Begin Patch"',
    );
  }
  return files.map(toFilePatch);
}

function saysSomething(file: StructuredPatch): boolean {
  const { isRename, isCopy, isCreate, isDelete, newMode } = file;
  return [isRename, isCopy, isCreate, isDelete].includes(true) || newMode !== undefined || isBinary(file);
}

function isBinary(file: StructuredPatch): boolean {
  return "isBinary" in file && file.isBinary === true;
}

const nowhere = "/dev/null";

function toFilePatch(file: StructuredPatch): FilePatch {
  const { isRename, isCopy, isCreate, isDelete, newMode } = file;
  const [oldName, newName] = namesOf(file);
  if (oldName === undefined || newName === undefined) {
    throw new InvalidPatchError('A hunk has no file: it needs the lines "--- a/x" and "+++ b/x" before it');
  }
  if (isBinary(file)) throw new InvalidPatchError(`${newName}: binary changes can't be applied`);
  const hunks = file.hunks.map(toHunk);
  if (isCreate === true || oldName === nowhere) {
    return {
      kind: "add",
      name: newName,
      content: contentOf(newName, hunks),
      isExecutable: newMode === "100755",
    };
  }
  if (isDelete === true || newName === nowhere) return { kind: "delete", name: oldName, hunks };
  const moves = isRename === true || isCopy === true;
  return {
    kind: "update",
    // `diff -u x.orig x` means a change of x.
    name: moves ? oldName : newName,
    newName: moves ? newName : null,
    isCopy: isCopy === true,
    hunks,
    isExecutable: newMode === undefined ? null : newMode === "100755",
  };
}

/** Without the `a/` and `b/` that git puts in front. */
function namesOf({ oldFileName, newFileName }: StructuredPatch): [string | undefined, string | undefined] {
  const isOf = (name: string | undefined, prefix: string): boolean =>
    name === nowhere || name?.startsWith(prefix) === true;
  const isPrefixed = isOf(oldFileName, "a/") && isOf(newFileName, "b/");
  const plain = (name: string | undefined): string | undefined =>
    isPrefixed && name !== nowhere ? name?.slice(2) : name;
  return [plain(oldFileName), plain(newFileName)];
}

function contentOf(name: string, hunks: readonly Hunk[]): Buffer {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.some((line) => line.op !== "+"))
    throw new InvalidPatchError(`${name}: a new file can have + lines only`);
  return Buffer.from(lines.map((line) => line.text + (line.noEol ? "" : "\n")).join(""), "latin1");
}

function toHunk(hunk: StructuredPatchHunk): Hunk {
  const lines: HunkLine[] = [];
  for (const line of hunk.lines) {
    const op = line === "" ? " " : line[0];
    if (op === " " || op === "+" || op === "-") {
      lines.push({ op, text: byteText(line.slice(1)), noEol: false });
    } else if (op === "\\") {
      const last = lines.pop();
      if (last !== undefined) lines.push({ ...last, noEol: true });
    }
  }
  // The parser moves an insertion's place by one so that it counts like the others; the header has the line before it.
  const isInsertion = !lines.some((line) => line.op !== "+");
  return { lines, expectedLine: isInsertion ? hunk.oldStart - 1 : hunk.oldStart, anchors: [], atEnd: false };
}

/** The text with the counts of each `@@ -a,b +c,d @@` as its lines have them. */
function withTrueCounts(text: string): string {
  const lines = text.replace(/\n+$/, "").split("\n");
  const isFileHeader = (at: number): boolean =>
    lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true;
  return lines
    .map((line, at) => {
      const [, oldStart, newStart, rest] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line) ?? [];
      if (oldStart === undefined) return line;
      let oldLines = 0;
      let newLines = 0;
      for (
        let row = at + 1;
        row < lines.length && /^(?:[ +\-\\]|$)/.test(lines[row] ?? "") && !isFileHeader(row);
        row += 1
      ) {
        const op = lines[row]?.[0] ?? " ";
        if (op === " " || op === "-") oldLines += 1;
        if (op === " " || op === "+") newLines += 1;
      }
      return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${rest}`;
    })
    .join("\n")
    .concat("\n");
}
