/**
 * Reads what `rg --json` prints into lines for the model. The format: ripgrep's `grep_printer::JSON`.
 */
import { cutText } from "../cut.ts";
import { relativePath } from "./search-base.ts";

/** A line longer than this is cut around its match: minified files have one line. */
const maxLineLength = 500;
const lead = 100;

/** Text, or base64 of bytes that are not UTF-8. */
interface Data {
  readonly text?: string;
  readonly bytes?: string;
}

interface Message {
  readonly type: "begin" | "match" | "context" | "end" | "summary";
  readonly data: {
    readonly path: Data | null;
    readonly lines?: Data;
    readonly line_number?: number | null;
    readonly submatches?: readonly { readonly start: number; readonly end: number }[];
    readonly binary_offset?: number | null;
  };
}

/** What was found. `binaries`: files that match but have no lines to show. */
export interface Found {
  readonly lines: readonly string[];
  readonly files: number;
  readonly truncated: boolean;
  readonly binaries: readonly string[];
}

/** What a search found, as far as it is shown. */
export class GrepMatches {
  readonly #limit: number;
  readonly #isWanted: (path: string) => boolean;
  readonly #show: (path: string) => string;
  #lines: string[] = [];
  #current: string[] = [];
  #files = 0;
  #truncated = false;
  readonly #binaries: string[] = [];

  constructor(limit: number, isWanted: (path: string) => boolean, show: (path: string) => string) {
    this.#limit = limit;
    this.#isWanted = isWanted;
    this.#show = show;
  }

  /** @returns false once the limit is passed */
  push(record: Buffer): boolean {
    const { type, data } = JSON.parse(record.toString()) as Message;
    const path = data.path === null || data.path === undefined ? "" : relativePath(bytesOf(data.path));
    if (type === "match" && this.#isWanted(path)) this.#match(path, data);
    if (type === "end") this.#endFile(path, typeof data.binary_offset === "number");
    return !this.#truncated;
  }

  end(): Found {
    // A run that was stopped has no end of its last file.
    if (this.#current.length > 0) this.#endFile("", false);
    return { lines: this.#lines, files: this.#files, truncated: this.#truncated, binaries: this.#binaries };
  }

  #match(path: string, { lines, line_number, submatches }: Message["data"]): void {
    const bytes = bytesOf(lines ?? {});
    const shown = this.#show(path);
    let start = 0;
    for (const [index, line] of splitLines(bytes).entries()) {
      if (this.#lines.length + this.#current.length >= this.#limit) {
        this.#truncated = true;
        return;
      }
      const from = submatches?.find(
        (match) => match.start >= start && match.start <= start + line.length,
      )?.start;
      this.#current.push(
        `${shown}:${(line_number ?? 1) + index}:${around(line, from === undefined ? 0 : from - start)}`,
      );
      start += line.length + 1;
    }
  }

  /** Only the end of a file tells that it is binary; what was found in it until then would be noise. */
  #endFile(path: string, isBinary: boolean): void {
    if (this.#current.length > 0) {
      if (isBinary) this.#binaries.push(this.#show(path));
      else {
        this.#lines.push(...this.#current);
        this.#files += 1;
      }
    }
    this.#current = [];
  }
}

function bytesOf({ text, bytes }: Data): Buffer {
  return bytes === undefined ? Buffer.from(text ?? "") : Buffer.from(bytes, "base64");
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let at = 0;
  for (let feed = bytes.indexOf(10); feed !== -1; feed = bytes.indexOf(10, at)) {
    lines.push(bytes.subarray(at, feed));
    at = feed + 1;
  }
  if (at < bytes.length || lines.length === 0) lines.push(bytes.subarray(at));
  return lines;
}

/** The line, or the part of it where the match begins. */
function around(line: Buffer, matchAt: number): string {
  const text = printed(line);
  if (
    Array.from(text.slice(0, 2 * maxLineLength)).length <= maxLineLength &&
    text.length <= 2 * maxLineLength
  )
    return text;
  const before = printed(line.subarray(0, matchAt));
  if (before.length < maxLineLength - lead) return cutText(text, maxLineLength);
  const points = Array.from(before.slice(-2 * lead))
    .slice(-lead)
    .join("");
  return `…${cutText(points + text.slice(before.length), maxLineLength - 1)}`;
}

function printed(bytes: Buffer): string {
  return bytes.toString().replace(/\r$/, "");
}
