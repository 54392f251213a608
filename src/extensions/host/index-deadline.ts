/** A limit for each of several things that a worker does in a row, when only shared memory tells which one it is at. */
import type { Clock } from "../../ports.ts";

/** What is watched. */
export interface IndexDeadlineOptions {
  readonly clock: Clock;
  /** Number of the thing that runs, counted from 1; 0 before the first. */
  readonly read: () => number;
  /** Milliseconds for each. */
  readonly eachMs: number;
  readonly onLate: () => void;
}

/**
 * The limit of each starts when its number is seen. It is looked for ten times within a limit, so a thing may have a
 * tenth of it on top, never less than its whole time.
 *
 * @returns a function that ends the watch
 */
export function watchIndex({ clock, read, eachMs, onLate }: IndexDeadlineOptions): () => void {
  let seen = read();
  let endsAt = clock.monotonic() + eachMs;
  let cancel: () => void = () => undefined;
  const arm = (): void => {
    const left = Math.max(0, endsAt - clock.monotonic());
    cancel = clock.setTimer(Math.min(left, Math.max(5, eachMs / 10)), look);
  };
  const look = (): void => {
    const index = read();
    if (index !== seen) {
      seen = index;
      endsAt = clock.monotonic() + eachMs;
    } else if (clock.monotonic() >= endsAt) return onLate();
    arm();
  };
  arm();
  return () => cancel();
}
