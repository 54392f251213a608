/**
 * Some lines out of a file of any size, without holding the rest of it.
 */
import { createReadStream } from "node:fs";

const lineFeed = 0x0a;

/** How far the number of lines is counted past what is shown. */
const maxScannedBytes = 256 * 1024 * 1024;

/** Which lines are asked for. */
export interface WindowRequest {
  /** First line, from 1. */
  readonly first: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Lines of a file as bytes, without the last line's end. */
export interface LineWindow {
  readonly bytes: Buffer;
  /** How many whole lines; 0 with `cutLineBytes` if the first one alone is over the cap, or if `first` is past the end. */
  readonly lines: number;
  /** Lines in the file; a last line end does not start another one. `null` if the file is too long to count. */
  readonly totalLines: number | null;
  /** Length of the first line if it had to be cut, up to what was read of it. */
  readonly cutLineBytes: number | null;
}

/** Reads the window that `request` asks for. */
export async function readLineWindow(path: string, request: WindowRequest): Promise<LineWindow> {
  const reader = new WindowReader(request);
  let scanned = 0;
  for await (const chunk of createReadStream(path, { signal: request.signal, highWaterMark: 256 * 1024 })) {
    reader.push(chunk as Buffer);
    scanned += (chunk as Buffer).length;
    if (scanned > maxScannedBytes && reader.isFull) return reader.end(false);
  }
  return reader.end(true);
}

class WindowReader {
  readonly #request: WindowRequest;
  #line = 1;
  /** Whether the current line has any byte. */
  #started = false;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Where in the kept bytes the last whole line ends, its line feed left out. */
  #wholeEnd = 0;
  #lines = 0;
  #firstLineBytes = 0;
  #full = false;

  constructor(request: WindowRequest) {
    this.#request = request;
  }

  get isFull(): boolean {
    return this.#full;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const feed = chunk.indexOf(lineFeed, at);
      const end = feed === -1 ? chunk.length : feed + 1;
      this.#take(chunk.subarray(at, end), feed !== -1);
      at = end;
    }
  }

  end(wholeFile: boolean): LineWindow {
    const total = this.#started ? this.#line : this.#line - 1;
    // The last line has no line feed to complete it.
    if (wholeFile && this.#started && this.#wants() && !this.#overflows()) this.#complete(this.#keptBytes);
    const isCut = this.#lines === 0 && this.#firstLineBytes > this.#request.maxBytes;
    const bytes = Buffer.concat(this.#kept).subarray(0, isCut ? this.#request.maxBytes : this.#wholeEnd);
    return {
      bytes,
      lines: this.#lines,
      totalLines: wholeFile ? total : null,
      cutLineBytes: isCut ? this.#firstLineBytes : null,
    };
  }

  #wants(): boolean {
    return !this.#full && this.#line >= this.#request.first && this.#lines < this.#request.maxLines;
  }

  #overflows(): boolean {
    return this.#keptBytes > this.#request.maxBytes;
  }

  #take(piece: Buffer, isLineEnd: boolean): void {
    if (this.#line === this.#request.first) this.#firstLineBytes += piece.length - (isLineEnd ? 1 : 0);
    if (this.#wants()) {
      if (!this.#overflows()) this.#kept.push(Buffer.from(piece));
      if (!this.#overflows()) this.#keptBytes += piece.length;
      const bodyEnd = this.#keptBytes - (isLineEnd ? 1 : 0);
      if (isLineEnd && bodyEnd <= this.#request.maxBytes) this.#complete(bodyEnd);
      else if (isLineEnd || this.#overflows()) this.#full = true;
      if (this.#lines >= this.#request.maxLines) this.#full = true;
    }
    this.#started = !isLineEnd;
    if (isLineEnd) this.#line += 1;
  }

  #complete(end: number): void {
    this.#lines += 1;
    this.#wholeEnd = end;
  }
}
