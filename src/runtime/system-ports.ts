/** The real world behind the ports of `ports.ts`. */
import { customAlphabet } from "nanoid";
import type { Clock, Ids, Random } from "../ports.ts";

const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  setTimer(delayMs, fire, background = false) {
    const timer = setTimeout(fire, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};

const hex16 = customAlphabet("0123456789abcdef", 16);

/** A prefix, an underscore and 16 lower-case hexadecimal digits. */
export const systemIds: Ids = (prefix) => `${prefix}_${hex16()}`;

/** `Math.random`: jitter needs no secrecy. */
export const systemRandom: Random = Math.random;
