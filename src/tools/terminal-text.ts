/**
 * What a command printed, as a reader would see it when it is over: without colours and cursor commands, and with a
 * progress line in its last state.
 */

/** Where the reader is in a control sequence (ECMA-48). */
type State = "text" | "escape" | "csi" | "string" | "stringEscape" | "charset";

/** A control string that never ends would hide the rest of the output; past this it counts as over. */
const maxControlString = 4_096;

/** A line without end would be held whole; past this it comes out as it is. */
const maxLine = 1_048_576;

/**
 * Cleans text that comes in pieces; a sequence may be cut anywhere.
 *
 * Only whole lines (and the first part of one past a million characters) come out of {@link TerminalText.push}, since a line may still be overwritten;
 * what all pushes and the last {@link TerminalText.end} gave, joined, is the text.
 */
export class TerminalText {
  #state: State = "text";
  #line = "";
  /** A carriage return was seen: what comes next replaces the line, unless it is the line's end. */
  #returned = false;
  #controlLength = 0;

  /** @returns the lines that are complete now, each with its line feed */
  push(text: string): string {
    let out = "";
    let at = 0;
    while (at < text.length) {
      const plain = this.#state === "text" ? plainEnd(text, at) : at;
      if (plain > at) {
        this.#print(text.slice(at, plain));
        at = plain;
        if (this.#line.length > maxLine) out += this.end();
        continue;
      }
      const char = text.charAt(at);
      at += 1;
      if (char === "\n") {
        // Also ends a control string: no tool prints one over lines.
        out += `${this.#line}\n`;
        this.#line = "";
        this.#returned = false;
        this.#state = "text";
      } else {
        this.#control(char);
      }
    }
    return out;
  }

  /** @returns the last line, which has no line feed */
  end(): string {
    const rest = this.#line;
    this.#line = "";
    return rest;
  }

  #print(text: string): void {
    this.#line = this.#returned ? text : this.#line + text;
    this.#returned = false;
  }

  #control(char: string): void {
    switch (this.#state) {
      case "text":
        return this.#single(char);
      case "escape":
        this.#state = afterEscape(char);
        this.#controlLength = 0;
        return;
      case "csi":
        if (char >= "@" && char <= "~") this.#state = "text";
        else if (char === "\u{1b}") this.#state = "escape";
        else this.#count();
        return;
      case "charset":
        this.#state = "text";
        return;
      case "string":
        if (char === "\u{07}" || char === "\u{9c}") this.#state = "text";
        else if (char === "\u{1b}") this.#state = "stringEscape";
        else this.#count();
        return;
      case "stringEscape":
        this.#state = char === "\\" ? "text" : afterEscape(char);
        return;
    }
  }

  #single(char: string): void {
    switch (char) {
      case "\r":
        this.#returned = true;
        return;
      case "\b":
        this.#line = this.#line.slice(0, /[\u{10000}-\u{10ffff}]$/u.test(this.#line) ? -2 : -1);
        return;
      case "\u{1b}":
        this.#state = "escape";
        return;
      case "\u{9b}":
        this.#state = "csi";
        this.#controlLength = 0;
        return;
      case "\u{9d}":
      case "\u{90}":
        this.#state = "string";
        this.#controlLength = 0;
        return;
    }
    // Every other control character is left out.
  }

  #count(): void {
    this.#controlLength += 1;
    if (this.#controlLength > maxControlString) this.#state = "text";
  }
}

function afterEscape(char: string): State {
  if (char === "[") return "csi";
  if ("]PX^_".includes(char)) return "string";
  if (char === "\u{1b}") return "escape";
  // A designation such as `ESC ( B` has one more character.
  return "()*+-./#% ".includes(char) ? "charset" : "text";
}

/** Printable text and tabs from `start` on. */
function plainEnd(text: string, start: number): number {
  // oxlint-disable-next-line no-control-regex -- control characters are the subject
  const special = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;
  special.lastIndex = start;
  return special.exec(text)?.index ?? text.length;
}
