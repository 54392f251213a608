/** An end that nobody may have to wait for. */
import type { Clock } from "../ports.ts";

/** Milliseconds that the end of a piece of work may take to be recorded; after that it is told all the same. */
const RECORDING_MS = 1_000;

/** Ends what waits for a piece of work whose deadline has passed and whose end can't be recorded: a log may be stuck. */
export class Overdue {
  readonly #passed: Promise<never>;
  readonly #signal: AbortSignal;
  #cancelTimer: () => void = () => undefined;
  #onAbort: () => void = () => undefined;

  /** @param signal - of the deadline; its reason is what is told */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#signal = signal;
    this.#passed = new Promise((_resolve, reject) => {
      this.#onAbort = () => {
        this.#cancelTimer = clock.setTimer(RECORDING_MS, () => reject(signal.reason as Error));
      };
    });
    this.#passed.catch(() => undefined);
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /** What the work gives. @throws the reason of the signal when that is overdue */
  race<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([work, this.#passed]);
  }

  /** Nothing waits any more. */
  cancel(): void {
    this.#cancelTimer();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}
