import { performance } from "node:perf_hooks";
import type { Clock } from "../ports.ts";

/** The machine's own clock: the default of a supervisor. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};
