/** Reads how long a server asks to wait (RFC 9110, section 10.2.3). */
import { MAX_RETRY_AFTER_MS } from "./retry-policy.ts";

/**
 * Milliseconds that the headers ask to wait, from 0 to 120,000; `null` when they don't.
 *
 * @param headers - response headers by lower-case name
 * @param now - epoch milliseconds, for a header that is a date
 */
export function retryAfterMsOf(headers: unknown, now: number): number | null {
  if (typeof headers !== "object" || headers === null) return null;
  const { "retry-after-ms": exact, "retry-after": plain } = headers as Record<string, unknown>;
  // OpenAI sends both, and `retry-after-ms` is the finer one.
  const waitMs = millisecondsOf(exact, 1) ?? millisecondsOf(plain, 1_000) ?? untilDate(plain, now);
  return waitMs === null ? null : Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS);
}

function millisecondsOf(value: unknown, unitMs: number): number | null {
  return typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * unitMs : null;
}

function untilDate(value: unknown, now: number): number | null {
  // Date.parse takes any odd text ("-1" is a year), so ask for the look of an HTTP date first.
  if (typeof value !== "string" || !/\d{2}:\d{2}:\d{2}/.test(value)) return null;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : date - now;
}
