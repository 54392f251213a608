/**
 * Which failures are worth another attempt, and how long to wait before it. Pure: chance and time are parameters, so
 * the delay can be recorded with the failure that it follows.
 */
import type { ModelFailure, ModelFailureClass } from "./port.ts";

/** Attempts for one model request, the first included. */
export const MAX_ATTEMPTS = 5;

/** The longest wait that a server may ask for, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 120_000;

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

const RETRYABLE: Readonly<Record<ModelFailureClass, boolean>> = {
  rate_limited: true,
  overloaded: true,
  server_error: true,
  timeout: true,
  conflict: true,
  connection: true,
  incomplete_stream: true,
  malformed_stream: true,
  bad_request: false,
  context_too_long: false,
  auth: false,
  not_found: false,
  no_api_key: false,
  script_exhausted: false,
  unknown: false,
};

/** The class of a refusal with this HTTP status. */
export function classOfStatus(status: number): ModelFailureClass {
  switch (status) {
    case 401:
    case 403:
      return "auth";
    case 404:
      return "not_found";
    case 408:
    case 504:
      return "timeout";
    case 409:
      return "conflict";
    case 413:
      return "context_too_long";
    case 429:
      return "rate_limited";
    case 503:
    case 529: // Anthropic's "overloaded"
      return "overloaded";
    default:
      if (status >= 500) return "server_error";
      return status >= 400 ? "bad_request" : "unknown";
  }
}

/** Whether a failure of this kind may go away by itself: statuses 408, 409, 429 and 5xx, a lost connection, a broken stream. */
export function isRetryable(failure: Pick<ModelFailure, "class">): boolean {
  return RETRYABLE[failure.class];
}

/**
 * Whether a request is tried again after a failed attempt.
 *
 * @param attempt - the attempt that failed, from 1
 */
export function canRetry(failure: Pick<ModelFailure, "class">, attempt: number): boolean {
  return attempt < MAX_ATTEMPTS && isRetryable(failure);
}

/**
 * Milliseconds from a failed attempt to the next one.
 *
 * What the server asked for is kept to the letter, up to {@link MAX_RETRY_AFTER_MS}: jitter would come back too early.
 * Otherwise 1 s, doubling to 30 s, times 0.5 to 1.
 *
 * @param attempt - the attempt that failed, from 1
 * @param retryAfterMs - how long the server asked to wait, or `null`
 * @param random - a number in [0, 1), to be recorded with the failure
 * @returns whole milliseconds, 0 or more
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null, random: number): number {
  if (retryAfterMs !== null) return Math.min(Math.max(Math.ceil(retryAfterMs), 0), MAX_RETRY_AFTER_MS);
  const backoffMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
  return Math.round(backoffMs * (0.5 + random / 2));
}

/** A failure of this class, with `retryable` filled in. */
export function failureOf(
  failureClass: ModelFailureClass,
  details: {
    readonly status?: number | null;
    readonly retryAfterMs?: number | null;
    readonly apiKeyEnv?: string;
  } = {},
): ModelFailure {
  return {
    class: failureClass,
    status: details.status ?? null,
    retryable: RETRYABLE[failureClass],
    retryAfterMs: details.retryAfterMs ?? null,
    ...(details.apiKeyEnv === undefined ? {} : { apiKeyEnv: details.apiKeyEnv }),
  };
}
