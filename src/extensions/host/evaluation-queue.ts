/** How many extension files are evaluated at a time. docs/reference/extensions.md, "Workers" */
import type { Clock } from "../../ports.ts";

/** Files that may be in the first part of their evaluation at once, and how long that part is. */
const evaluationLimits = { atOnce: 4, firstMs: 1000 } as const;

/** Starts evaluations in the order in which they were asked for. */
export class EvaluationQueue {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `evaluate` when there is room. One that takes long gives its room to the next and goes on. */
  async run<Result>(evaluate: () => Promise<Result>): Promise<Result> {
    if (this.#running >= evaluationLimits.atOnce)
      await new Promise<void>((start) => this.#waiting.push(start));
    else this.#running += 1;
    let isFreed = false;
    const free = (): void => {
      if (isFreed) return;
      isFreed = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // takes over the room
    };
    const cancel = this.#clock.setTimer(evaluationLimits.firstMs, free, true);
    try {
      return await evaluate();
    } finally {
      cancel();
      free();
    }
  }
}
