/**
 * Operations one after the other, in the order in which they were asked for. A supervisor is one process that answers
 * one message at a time, and a child whose start is slow blocks it, as in OTP.
 */
export class Serial {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(operation);
    this.#tail = result.then(ignore, ignore); // a failure is its caller's to see; the next operation runs all the same
    return result;
  }
}

function ignore(): void {}
