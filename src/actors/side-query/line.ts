/** One at a time for each session, in the order in which they came. */

interface Waiting {
  readonly enter: () => void;
}

/** Who is in, and who waits, by the id of the session. */
export class Line {
  readonly #lines = new Map<string, Waiting[]>();

  /** How many are in or wait for a session. */
  lengthOf(key: string): number {
    return this.#lines.get(key)?.length ?? 0;
  }

  /**
   * Waits until all who came earlier have left.
   *
   * @param signal - ends the wait; whoever gives up takes no turn
   * @returns a function that lets the next one in
   * @throws the reason of the signal
   */
  enter(key: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error); // whatever it is, it goes to whoever aborted
      const line = this.#lines.get(key) ?? [];
      const giveUp = (): void => {
        this.#leave(key, self);
        reject(signal.reason as Error);
      };
      const self: Waiting = {
        enter: () => {
          signal.removeEventListener("abort", giveUp);
          resolve(() => this.#leave(key, self));
        },
      };
      this.#lines.set(key, [...line, self]);
      if (line.length === 0) self.enter();
      else signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Safe to call again. */
  #leave(key: string, one: Waiting): void {
    const line = this.#lines.get(key) ?? [];
    if (!line.includes(one)) return;
    const left = line.filter((each) => each !== one);
    if (left.length === 0) this.#lines.delete(key);
    else this.#lines.set(key, left);
    if (line[0] === one) left[0]?.enter();
  }
}
