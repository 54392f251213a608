/**
 * The beginning and the end of a text that may be far longer than anybody wants to keep.
 */

/** Caps of what is kept; half for the head, half for the tail. */
export interface KeptCaps {
  /** UTF-16 units. */
  readonly characters: number;
  readonly lines: number;
}

/** Takes a text piece by piece and holds no more of it than its caps, twice over. */
export class HeadAndTail {
  readonly #caps: KeptCaps;
  #head = "";
  #headLines = 0;
  #tail = "";
  #dropped = 0;
  #droppedLines = 0;

  constructor(caps: KeptCaps) {
    this.#caps = { characters: Math.floor(caps.characters / 2), lines: Math.floor(caps.lines / 2) };
  }

  push(text: string): void {
    const room = this.#tail === "" && this.#dropped === 0 ? this.#headRoom(text) : 0;
    this.#head += text.slice(0, room);
    this.#headLines += linesIn(text.slice(0, room));
    this.#tail += text.slice(room);
    // Cutting at each push would copy the tail for every line; at twice the cap it is copied once per cap.
    if (this.#tail.length > 2 * this.#caps.characters) this.#cutTail();
  }

  /** The text; or its head, a line that says what was left out, and its tail. */
  end(): { readonly text: string; readonly truncated: boolean } {
    this.#cutTail();
    if (this.#dropped === 0) return { text: this.#head + this.#tail, truncated: false };
    const gap = `[… ${this.#dropped} characters in ${this.#droppedLines} lines left out …]`;
    const head = this.#head === "" || this.#head.endsWith("\n") ? this.#head : `${this.#head}\n`;
    return { text: `${head}${gap}\n${this.#tail}`, truncated: true };
  }

  /** How much of `text` still belongs to the head; no surrogate pair is split. */
  #headRoom(text: string): number {
    let room = Math.min(text.length, this.#caps.characters - this.#head.length);
    let lines = this.#caps.lines - this.#headLines;
    for (let at = text.indexOf("\n"); at !== -1 && at < room; at = text.indexOf("\n", at + 1)) {
      lines -= 1;
      if (lines <= 0) room = at + 1;
    }
    if (this.#headLines >= this.#caps.lines) return 0;
    return isInsidePair(text, room) ? room - 1 : room;
  }

  #cutTail(): void {
    let start = Math.max(0, this.#tail.length - this.#caps.characters);
    let lines = linesIn(this.#tail.slice(start));
    // A last line without its line feed is a line as well.
    if (!this.#tail.endsWith("\n") && this.#tail !== "") lines += 1;
    for (; lines > this.#caps.lines; lines -= 1) start = this.#tail.indexOf("\n", start) + 1;
    if (start === 0) return;
    const lineStart = this.#tail.lastIndexOf("\n", start - 1) + 1;
    if (lineStart !== start) {
      // Begin at a line if one begins soon, else at a whole character.
      const next = this.#tail.indexOf("\n", start) + 1;
      if (next !== 0 && next - start < 1_000 && next < this.#tail.length) start = next;
      else if (isInsidePair(this.#tail, start)) start += 1;
    }
    const cut = this.#tail.slice(0, start);
    this.#dropped += cut.length;
    this.#droppedLines += linesIn(cut);
    this.#tail = this.#tail.slice(start);
  }
}

function isInsidePair(text: string, at: number): boolean {
  const code = text.codePointAt(at - 1);
  return at > 0 && at < text.length && code !== undefined && code > 0xffff;
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
