/** What ends a command from outside: Ctrl-C, SIGTERM, and a reader of standard output that goes away. */

/** The exit status of a command that was interrupted. */
export const INTERRUPTED = 130;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Listens from the start, so that an interrupted command ends with one status wherever it is. */
export class Interrupts {
  readonly #aborter = new AbortController();
  #isSoft = false;
  #isReaderGone = false;

  constructor() {
    for (const name of SIGNALS) process.on(name, () => this.interrupt(name));
  }

  /** From now on a signal ends the process, whatever it is doing, unless somebody else listens. */
  end(): void {
    for (const name of SIGNALS) process.removeAllListeners(name);
  }

  /** Aborted by the first interrupt of a command that softened it. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /** True once there was one. */
  get happened(): boolean {
    return this.#aborter.signal.aborted;
  }

  /** From now on the first aborts this signal, and only a second ends the process. */
  soften(): AbortSignal {
    this.#isSoft = true;
    return this.#aborter.signal;
  }

  /** What a signal of this name does; also called for a Ctrl-C that a prompt took as a key. */
  interrupt(name: string): void {
    if (!this.#isSoft || this.happened) {
      this.end();
      process.exit(INTERRUPTED);
    }
    this.#aborter.abort(new Error(`interrupted by ${name}`));
  }

  /** Nobody reads what the command writes, which is no failure. A session is not left in the middle of a run for it. */
  readerGone(): void {
    if (this.happened) return;
    this.#isReaderGone = true;
    if (!this.#isSoft) process.exit(0);
    this.#aborter.abort(new Error("standard output was closed"));
  }

  /** The exit status of what was ended from outside. */
  get status(): typeof INTERRUPTED | 0 {
    return this.#isReaderGone ? 0 : INTERRUPTED;
  }
}
