/** Asking a provider without depending on it: it may throw, answer late or never. */
import { LemonError } from "../errors.ts";
import type { Clock } from "../ports.ts";

/** What came back. `failure` is a bounded word for a log line, never the text of an error. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: string };

/** How long to wait, and for what. */
export interface AskOptions {
  readonly clock: Clock;
  /** From now on. */
  readonly timeoutMs: number;
  /** Ends the wait earlier. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a provider in a microtask, so that of several asked at once each has its time from the same start, however
 * long another keeps the thread.
 *
 * @param call - gets a signal that fires when nobody waits any more; what it gives then is dropped
 * @returns never rejects
 */
export function ask<Value>(
  call: (signal: AbortSignal) => Value | Promise<Value>,
  { clock, timeoutMs, signal }: AskOptions,
): Promise<Answer<Value>> {
  return new Promise((resolve) => {
    const abort = new AbortController();
    const end = (answer: Answer<Value>): void => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      resolve(answer);
    };
    const giveUp = (failure: string): void => {
      end({ ok: false, failure });
      abort.abort(new DOMException(failure, failure === "timeout" ? "TimeoutError" : "AbortError"));
    };
    const onAbort = (): void => giveUp("aborted");
    const cancel = clock.setTimer(timeoutMs, () => giveUp("timeout"));
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    Promise.resolve()
      .then(() => call(abort.signal))
      .then(
        (value) => end({ ok: true, value }),
        (error: unknown) => end({ ok: false, failure: failureOf(error) }),
      );
  });
}

/** The code of an error of ours or of SQLite's, else the name of its class, else the kind of value that was thrown. */
function failureOf(error: unknown): string {
  try {
    if (error instanceof LemonError) return error.code;
    if (!(error instanceof Error)) return typeof error;
    const code = (error as { code?: unknown }).code;
    if (typeof code === "string" && /^SQLITE_[A-Z_]{1,40}$/.test(code)) return code;
    return /^[A-Za-z_$][\w$]{0,63}$/.test(error.name) ? error.name : "Error";
  } catch {
    // A getter of an author's class.
    return "Error";
  }
}
