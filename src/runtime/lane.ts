/** A lane: how many of a kind may be at work at once in this runtime, the others in line. docs/reference/runtime.md, "Lanes" */

/** The right to be at work. */
export interface Slot {
  /** Gives it back, once; who is first in line gets it. */
  release(): void;
}

interface Waiter {
  readonly grant: () => void;
}

/** First come, first served. */
export class Lane {
  readonly #limit: number;
  readonly #waiting: Waiter[] = [];
  #ahead = 0;
  #held = 0;

  /** @param limit - 1 or more, or `Infinity` */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Slots that are held. */
  get held(): number {
    return this.#held;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** A slot at once, or `null` when there is none: then others may wait too. */
  tryAcquire(): Slot | null {
    return this.#held < this.#limit ? this.#take() : null;
  }

  /** A slot whether or not there is one: for work that goes on and can't be told to wait. It counts like any. */
  force(): Slot {
    return this.#take();
  }

  /**
   * Waits for a slot.
   *
   * @param signal - takes the waiter out of the line at once
   * @param ahead - before all newcomers, and behind others that are ahead: for who had a slot and gave it back
   * @throws the signal's reason
   */
  acquire(signal?: AbortSignal, ahead = false): Promise<Slot> {
    if (signal?.aborted === true) return Promise.reject(asError(signal.reason));
    // Who waits is served as soon as there is a slot, so where there is one nobody waits.
    const slot = this.tryAcquire();
    if (slot !== null) return Promise.resolve(slot);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const place = this.#waiting.indexOf(waiter);
        this.#waiting.splice(place, 1);
        if (place < this.#ahead) this.#ahead -= 1;
        // Called by the signal alone.
        reject(asError(signal?.reason));
      };
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener("abort", leave);
          resolve(this.#take());
        },
      };
      this.#waiting.splice(ahead ? this.#ahead : this.#waiting.length, 0, waiter);
      if (ahead) this.#ahead += 1;
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #take(): Slot {
    this.#held += 1;
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#held -= 1;
        this.#next();
      },
    };
  }

  #next(): void {
    while (this.#held < this.#limit) {
      const first = this.#waiting.shift();
      if (first === undefined) return;
      if (this.#ahead > 0) this.#ahead -= 1;
      first.grant();
    }
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("told to stop waiting");
}
