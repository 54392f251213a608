/**
 * Where the command writes: results to standard output, all else to standard error. Colours, and what rewrites a
 * line, only where a terminal shows them.
 */
import { inspect, styleText } from "node:util";
import { printable } from "./printable.ts";
import { results } from "./results.ts";

type Colour = "bold" | "dim" | "green" | "red" | "yellow";

/** The flags that say how much is written, and how. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The two streams of the command. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly #color: boolean;
  readonly #said = new Set<string>();
  #progress = "";

  constructor({ json = false, color = true, quiet = false, verbose = false }: OutputFlags) {
    this.json = json;
    this.quiet = quiet;
    this.verbose = verbose;
    this.#color = color;
  }

  /** A result, as it is. */
  write(text: string): void {
    this.clearProgress();
    results().write(text);
  }

  /** A line of result for people. On a terminal, nothing in it can move the cursor. */
  line(text: string): void {
    this.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
  }

  /** A result for programs: one document on one line. */
  document(value: unknown): void {
    this.write(`${JSON.stringify(value)}\n`);
  }

  /** A line of progress. Not written under `--quiet`. */
  note(text: string): void {
    if (!this.quiet) this.#say(text);
  }

  /** What the user should know though nothing failed. Each is said once; not under `--quiet`. */
  warn(text: string): void {
    if (this.quiet || this.#said.has(text)) return;
    this.#said.add(text);
    this.#say(`${this.paintError("yellow", "warning:")} ${text}`);
  }

  /** What failed. Its stack, if there is one, only under `--verbose`. */
  error(message: string, error?: unknown): void {
    this.#say(`${this.paintError("red", "error:")} ${message}`);
    if (this.verbose && error !== undefined) this.#say(inspect(error));
  }

  /** What is wrong with a thing that was just shown. Also under `--quiet`. */
  fault(text: string): void {
    this.#say(text);
  }

  /** One line that is rewritten in place. Only on a terminal. */
  progress(text: string): void {
    if (this.quiet || !process.stderr.isTTY || text === this.#progress) return;
    this.#progress = text;
    const shown = printable(text).slice(0, (process.stderr.columns || 80) - 1);
    process.stderr.write(`\r\u001B[K${this.paintError("dim", shown)}`);
  }

  /** Takes the rewritten line away. */
  clearProgress(): void {
    if (this.#progress === "") return;
    this.#progress = "";
    process.stderr.write("\r\u001B[K");
  }

  /** Text in a colour, if standard output shows colours. */
  paint(colour: Colour, text: string): string {
    return this.#paint(colour, text, process.stdout);
  }

  /** Text in a colour, if standard error shows colours. */
  paintError(colour: Colour, text: string): string {
    return this.#paint(colour, text, process.stderr);
  }

  #say(text: string): void {
    this.clearProgress();
    process.stderr.write(`${printable(text)}\n`);
  }

  #paint(colour: Colour, text: string, stream: NodeJS.WriteStream): string {
    return this.#color ? styleText(colour, text, { stream }) : text;
  }
}
