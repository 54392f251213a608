/** Lines out of bytes that come in pieces, of which none grows beyond a limit. */

/** A line without its end; `too_long` once for each that is longer than the limit, of which nothing is kept. */
export type Line = Buffer | "too_long";

/** Cuts bytes into lines. The end of a line is LF, or CR LF. */
export class LineCutter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @param maxBytes - of a line, its end not counted */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns the lines that end in this piece */
  push(piece: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = piece.indexOf(10, from); end >= 0; end = piece.indexOf(10, from)) {
      this.#keep(piece.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  /** @returns what stands after the last line end, if anything does */
  end(): Line[] {
    return this.#bytes === 0 ? [] : [this.#take()];
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    // One byte more than may be: the CR of a line end.
    if (this.#bytes > this.#maxBytes + 1) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): Line {
    const isKept = this.#bytes <= this.#maxBytes + 1;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (!isKept) return "too_long";
    const line = whole.at(-1) === 13 ? whole.subarray(0, -1) : whole;
    return line.length > this.#maxBytes ? "too_long" : line;
  }
}
