/** The log lines of a kit, kept for the test. */
import type { Logger } from "../ports.ts";

/** A logger that remembers the messages, `warn: …`, oldest first. */
export class KitLog implements Logger {
  readonly #lines: string[] = [];

  /** All so far. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  debug(_fields: object, message: string): void {
    this.#lines.push(`debug: ${message}`);
  }

  info(_fields: object, message: string): void {
    this.#lines.push(`info: ${message}`);
  }

  warn(_fields: object, message: string): void {
    this.#lines.push(`warn: ${message}`);
  }

  error(_fields: object, message: string): void {
    this.#lines.push(`error: ${message}`);
  }
}
