/** Waiting for what may never end. */
import type { Clock } from "../../ports.ts";

/** Resolves when the work has ended, however, or after so many milliseconds. */
export function endWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(ms, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    work.then(end, end);
  });
}
