/**
 * The `*** Begin Patch` form, which some models write by heart. No library reads it.
 *
 *   *** Begin Patch
 *   *** Add File: path            then lines with +
 *   *** Delete File: path
 *   *** Update File: path         then perhaps: *** Move to: path
 *   @@ a line above the change    (any number, or a bare @@)
 *    context, -old and +new lines
 *   *** End of File               (the hunk stands at the end)
 *   *** End Patch
 */
import { byteText, type Hunk, type HunkLine } from "../workspace/index.ts";
import { type FilePatch, InvalidPatchError } from "./file-patch.ts";

/** Reads the form; `text` has LF line ends. @throws InvalidPatchError naming the line */
export function parseBeginPatch(text: string): FilePatch[] {
  return new BeginPatchReader(text.trim().split("\n")).files();
}

class BeginPatchReader {
  readonly #lines: readonly string[];
  #at = 1;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  files(): FilePatch[] {
    const files: FilePatch[] = [];
    for (;;) {
      const line = this.#next();
      if (line === undefined)
        throw new InvalidPatchError("The patch has no *** End Patch: it may have been cut off");
      if (line.trim() === "*** End Patch") break;
      if (line.trim() !== "") files.push(this.#file(line));
    }
    if (this.#at < this.#lines.length) throw this.#unexpected("nothing after *** End Patch");
    return files;
  }

  #file(header: string): FilePatch {
    const [, verb, name] = /^\*\*\* (Add|Delete|Update) File: (.*\S)\s*$/.exec(header) ?? [];
    if (name === undefined)
      throw this.#unexpected("*** Add File:, *** Delete File:, *** Update File: or *** End Patch");
    if (verb === "Add") return { kind: "add", name, content: this.#content(), isExecutable: false };
    if (verb === "Delete") return { kind: "delete", name, hunks: [] };
    const newName = /^\*\*\* Move to: (.*\S)\s*$/.exec(this.#peek() ?? "")?.[1] ?? null;
    if (newName !== null) this.#at += 1;
    const hunks = this.#hunks();
    if (hunks.length === 0 && newName === null)
      throw new InvalidPatchError(`*** Update File: ${name} has no changes`);
    return { kind: "update", name, newName, isCopy: false, hunks, isExecutable: null };
  }

  #content(): Buffer {
    const lines: string[] = [];
    for (let line = this.#peek(); line?.startsWith("+") === true; line = this.#peek()) {
      lines.push(`${line.slice(1)}\n`);
      this.#at += 1;
    }
    return Buffer.from(lines.join(""));
  }

  #hunks(): Hunk[] {
    const hunks: Hunk[] = [];
    while (!this.#isFileEnd()) {
      const anchors: string[] = [];
      for (let line = this.#peek(); line?.startsWith("@@") === true; line = this.#peek()) {
        const anchor = anchorOf(line);
        if (anchor !== "") anchors.push(byteText(anchor));
        this.#at += 1;
      }
      const lines = this.#hunkLines();
      if (lines.length === 0) throw this.#unexpected("a line that begins with a blank, + or -");
      const atEnd = this.#peek()?.trim() === "*** End of File";
      if (atEnd) this.#at += 1;
      hunks.push({ anchors, lines, expectedLine: null, atEnd });
    }
    return hunks;
  }

  #hunkLines(): HunkLine[] {
    const lines: HunkLine[] = [];
    for (let line = this.#peek(); line !== undefined; line = this.#peek()) {
      const op = line === "" ? " " : line[0];
      if (op !== " " && op !== "+" && op !== "-") break;
      // A blank line before the next file belongs to the layout of the patch.
      if (line === "" && this.#blanksEndFile()) break;
      lines.push({ op, text: byteText(line.slice(1)), noEol: false });
      this.#at += 1;
    }
    return lines;
  }

  #blanksEndFile(): boolean {
    const rest = this.#lines.slice(this.#at).find((line) => line !== "");
    return rest === undefined || /^\*\*\* (?:Add|Delete|Update|End Patch)/.test(rest);
  }

  #isFileEnd(): boolean {
    const line = this.#peek();
    return (
      line === undefined || /^\*\*\* (?!End of File)/.test(line) || (line === "" && this.#blanksEndFile())
    );
  }

  #peek(): string | undefined {
    return this.#lines[this.#at];
  }

  #next(): string | undefined {
    this.#at += 1;
    return this.#lines[this.#at - 1];
  }

  #unexpected(expected: string): InvalidPatchError {
    const line = Math.min(this.#at, this.#lines.length);
    const found = this.#lines[line - 1] ?? "";
    return new InvalidPatchError(
      `Line ${line} of the patch: expected ${expected}, found "${found.slice(0, 80)}"`,
    );
  }
}

/** What stands after `@@`; the line numbers of a unified diff mean nothing here, as models make them up. */
function anchorOf(line: string): string {
  const rest = line.slice(2).replace(/^ ?-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/, "");
  return rest
    .replace(/^ /, "")
    .replace(/\s*@@\s*$/, "")
    .trimEnd();
}
