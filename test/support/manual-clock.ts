import type { Clock } from "../../src/ports.ts";

/** A clock that moves only when told to. Timers fire in order of time, then of arming, inside `advance`. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  readonly #startedAtMs: number;
  readonly #timers = new Set<{ readonly dueMs: number; readonly fire: () => void }>();

  /** @param startedAtMs - what `now` answers before the first step */
  constructor(startedAtMs = 1_700_000_000_000) {
    this.#startedAtMs = startedAtMs;
  }

  now(): number {
    return this.#startedAtMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + delayMs, fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Timers that are armed and have neither fired nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires; undefined when none is armed. */
  get nextInMs(): number | undefined {
    let dueMs = Infinity;
    for (const timer of this.#timers) dueMs = Math.min(dueMs, timer.dueMs);
    return dueMs === Infinity ? undefined : dueMs - this.#elapsedMs;
  }

  /** Moves time on and fires what falls due, timers that fired ones arm included. Promises settle after it returns. */
  advance(ms: number): void {
    const endMs = this.#elapsedMs + ms;
    for (;;) {
      let next: { readonly dueMs: number; readonly fire: () => void } | undefined;
      for (const timer of this.#timers)
        if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#elapsedMs = next.dueMs;
      next.fire();
    }
    this.#elapsedMs = endMs;
  }
}

/** Advances in steps between which heartbeats get through: a process that stood still for so long would lose its lease. */
export async function advanceAlive(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(Math.min(left, 1_000));
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
