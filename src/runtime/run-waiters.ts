/** Who waits for the ends of a session's runs. */
import type { Outcome } from "./session-types.ts";

interface Waiter {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** By run. */
export class RunWaiters {
  readonly #waiting = new Map<string, Waiter[]>();

  /** The end of a run, once it is told. */
  endOf(runId: string): Promise<Outcome> {
    const promise = new Promise<Outcome>((resolve, reject) => {
      this.#waiting.set(runId, [...(this.#waiting.get(runId) ?? []), { resolve, reject }]);
    });
    // Nobody may be waiting any more when it fails: the prompt was refused, for one.
    promise.catch(() => undefined);
    return promise;
  }

  /** Nobody waits for it any more. @returns what tells those who did */
  take(runId: string): (outcome: Outcome) => void {
    const waiters = this.#waiting.get(runId) ?? [];
    this.#waiting.delete(runId);
    return (outcome) => {
      for (const { resolve } of waiters) resolve(outcome);
    };
  }

  /** No run ends in this process any more. */
  fail(error: unknown): void {
    for (const waiters of this.#waiting.values()) for (const { reject } of waiters) reject(error);
    this.#waiting.clear();
  }
}
