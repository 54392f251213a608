import { performance } from "node:perf_hooks";
import type { Clock } from "../ports.ts";

/** Node takes a longer delay for 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's own clock: the default of a supervisor and of a runtime. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire, background = false) {
    const timer = setTimeout(fire, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};
