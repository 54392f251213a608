/** From pieces of output to lines that can be shown: bounded in length and number, without control characters. */
import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../ports.ts";

/** The longest line in characters, and the most lines of one extension in a second. */
const lineLimits = { characters: 8192, perSecond: 1000 } as const;

/** Lets so many lines of one extension pass in each second; tells how many it held back. */
export class LineLimit {
  readonly #clock: Clock;
  readonly #pass: (line: string) => void;
  #second = -1;
  #passed = 0;
  #dropped = 0;

  constructor(clock: Clock, pass: (line: string) => void) {
    this.#clock = clock;
    this.#pass = pass;
  }

  take(line: string): void {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    if (second !== this.#second) {
      this.tellDropped();
      this.#second = second;
      this.#passed = 0;
    }
    if (this.#passed < lineLimits.perSecond) {
      this.#passed += 1;
      this.#pass(line);
    } else this.drop(1);
  }

  /** Counts what never became a line. */
  drop(count: number): void {
    this.#dropped += count;
  }

  /** One line for all that was dropped since the last. */
  tellDropped(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#pass(`(${count} ${count === 1 ? "piece" : "pieces"} of output dropped)`);
  }
}

/** Joins the pieces of one worker's two streams. */
export class OutputLines {
  readonly #rest: [string, string] = ["", ""];
  readonly #isCut: [boolean, boolean] = [false, false];
  readonly #limit: LineLimit;
  readonly #mapPositions: (text: string) => string;

  constructor(limit: LineLimit, mapPositions: (text: string) => string) {
    this.#limit = limit;
    this.#mapPositions = mapPositions;
  }

  push(fd: 1 | 2, text: string): void {
    const at = fd === 1 ? 0 : 1;
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#keep(at, text.slice(from, end));
      this.#end(at);
      from = end + 1;
    }
    this.#keep(at, text.slice(from));
  }

  /** The worker has ended: what stands without a line feed is a line too. */
  flush(): void {
    for (const at of [0, 1] as const) if (this.#rest[at] !== "") this.#end(at);
    this.#limit.tellDropped();
  }

  #keep(at: 0 | 1, piece: string): void {
    const room = lineLimits.characters - this.#rest[at].length;
    if (piece.length > room) this.#isCut[at] = true;
    this.#rest[at] += piece.slice(0, Math.max(0, room));
  }

  #end(at: 0 | 1): void {
    const line = this.#rest[at];
    const isCut = this.#isCut[at];
    this.#rest[at] = "";
    this.#isCut[at] = false;
    const mapped = this.#mapPositions(withoutControls(line)).slice(0, lineLimits.characters);
    this.#limit.take(isCut ? `${mapped.slice(0, lineLimits.characters - 1).toWellFormed()}…` : mapped);
  }
}

/** A tab stays; colours go with their escape. */
function withoutControls(line: string): string {
  // oxlint-disable-next-line no-control-regex -- it is what this function removes
  return stripVTControlCharacters(line).replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "");
}
