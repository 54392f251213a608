/**
 * The ways in which the world outside enters the runtime: time, identity, chance and log lines.
 * Each is a parameter, so a test decides what they answer.
 */

/** Wall-clock time and timers. */
export interface Clock {
  /** Epoch milliseconds. May go backwards; nothing is ordered by it. */
  now(): number;
  /** Milliseconds that only grow, for measuring how long something took. */
  monotonic(): number;
  /**
   * Calls `fire` once after `delayMs` (0 or more).
   *
   * @param background - `true` for a timer that should not keep the process alive
   * @returns a function that cancels the timer; harmless after it has fired
   */
  setTimer(delayMs: number, fire: () => void, background?: boolean): () => void;
}

/** New identifiers: `ids("call")` gives `call_` and 16 lower-case hexadecimal digits. */
export type Ids = (prefix: string) => string;

/** A number in [0, 1). */
export type Random = () => number;

/** Structured log lines, the part of pino's interface that the runtime uses. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger that says nothing: the default of the library. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
