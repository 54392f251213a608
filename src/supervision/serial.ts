import { toError } from "./errors.ts";

/**
 * Operations one after the other, in the order in which they were asked for. A supervisor is one process that answers
 * one message at a time, and a child whose start is slow blocks it, as in OTP.
 *
 * An operation that finds nothing under way begins inside the call of `run`.
 */
export class Serial {
  #isBusy = false;
  /** Waiting operations, and those whose turn is next: neither array is ever shifted. */
  #incoming: (() => void)[] = [];
  #turns: (() => void)[] = [];
  #taken = 0;

  run<T>(operation: () => Promise<T>): Promise<T> {
    if (!this.#isBusy) return this.#begin(operation);
    return new Promise((resolve) => this.#incoming.push(() => resolve(this.#begin(operation))));
  }

  #begin<T>(operation: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    const result = started(operation);
    result.then(this.#next, this.#next); // a failure is its caller's to see; the next operation runs all the same
    return result;
  }

  readonly #next = (): void => {
    if (this.#taken === this.#turns.length) {
      this.#turns = this.#incoming;
      this.#incoming = [];
      this.#taken = 0;
    }
    this.#isBusy = false;
    const turn = this.#turns[this.#taken];
    if (turn === undefined) return;
    this.#taken += 1;
    turn();
  };
}

function started<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return operation();
  } catch (error) {
    return Promise.reject(toError(error));
  }
}
