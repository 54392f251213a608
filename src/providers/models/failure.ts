/**
 * Every way in which a provider says that something went wrong, in one shape: a rejected request, an error thrown
 * while its stream is read, and an `error` part whose value may be an Error or a bare object.
 *
 * Errors are known by their fields, not by class: they may come from another copy of a library or from a worker.
 * Only class, status and delay get out. Messages, bodies and requests may hold prompts and keys, so they are dropped.
 */
import { LemonError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { MalformedPartError } from "./answer-draft.ts";
import type { ModelFailure, ModelFailureClass } from "./port.ts";
import { classOfStatus, failureOf } from "./retry-policy.ts";
import { retryAfterMsOf } from "./retry-after.ts";

/** No key for a provider that wants one. Code `LEMON_NO_API_KEY`; `field` is the environment variable. */
export class NoApiKeyError extends LemonError {
  constructor(ref: string, variable: string) {
    super("no_api_key", `${ref}: the environment variable ${variable} is not set; put the API key there`, {
      field: variable,
      expected: "an API key",
      got: "nothing",
    });
  }
}

/**
 * What providers say of a request that is longer than the model's window. Most have no word for it but their text, which
 * is read for this and dropped.
 */
const TOO_LONG =
  /prompt is too long|input is too long|(?:maximum|exceeds?(?: the)?(?: available)?) context (?:length|size|limit|window)|context window|maximum prompt length|input length and `?max_tokens`? exceed|input token count .{0,40}exceeds|too large for model with \d+ maximum context/i;

/** `request`: nothing had come back yet. `stream`: the answer had begun, so an unknown error is a broken stream. */
export type FailurePhase = "request" | "stream";

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);

const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "UND_ERR_SOCKET",
]);

/** Names that the AI SDK gives its errors. */
const CLASS_OF_NAME: Readonly<Record<string, ModelFailureClass>> = {
  AI_EmptyResponseBodyError: "incomplete_stream",
  AI_InvalidPromptError: "bad_request",
  AI_JSONParseError: "malformed_stream",
  AI_NoSuchModelError: "not_found",
  AI_TypeValidationError: "malformed_stream",
  AI_UnsupportedFunctionalityError: "bad_request",
};

/** Parts of the words that providers use for `type` and `code`, the more telling first. */
const CLASS_OF_WORD: readonly (readonly [string, ModelFailureClass])[] = [
  ["overload", "overloaded"],
  ["rate_limit", "rate_limited"],
  ["too_many_requests", "rate_limited"],
  ["insufficient_quota", "rate_limited"],
  ["resource_exhausted", "rate_limited"],
  ["timeout", "timeout"],
  ["authentication", "auth"],
  ["permission", "auth"],
  ["api_key", "auth"],
  ["not_found", "not_found"],
  ["context_length", "context_too_long"],
  ["exceed_context", "context_too_long"],
  ["request_too_large", "context_too_long"],
  ["invalid", "bad_request"],
  ["api_error", "server_error"],
  ["server_error", "server_error"],
  ["unavailable", "overloaded"],
];

/**
 * The failure that an error stands for.
 *
 * Whether the caller aborted is not asked here: aborted requests surface as any kind of error, so ask the signal.
 *
 * @param clock - for a `retry-after` header that is a date
 */
export function failureFrom(error: unknown, phase: FailurePhase, clock: Clock): ModelFailure {
  if (error instanceof NoApiKeyError) return failureOf("no_api_key", { apiKeyEnv: error.field ?? "" });
  if (error instanceof MalformedPartError) return failureOf("malformed_stream");

  const status = statusOf(error);
  const retryAfterMs = retryAfterMsOf(member(error, "responseHeaders"), clock.now());
  const exact = (found: ModelFailureClass): ModelFailureClass =>
    (found === "bad_request" || found === "unknown") && saysTooLong(error) ? "context_too_long" : found;
  if (status === null) return failureOf(exact(classWithoutStatus(error, phase)), { retryAfterMs });
  if (isMadeUp(error, status)) return failureOf(exact(classWithoutStatus(error, "stream")), { retryAfterMs });
  return failureOf(exact(classOfStatus(status)), { status, retryAfterMs });
}

function saysTooLong(error: unknown): boolean {
  return toldBy(error).some(
    (holder) => classOfWords(holder) === "context_too_long" || TOO_LONG.test(textIn(holder)),
  );
}

function textIn(holder: unknown): string {
  const text = typeof holder === "string" ? holder : member(holder, "message");
  return typeof text === "string" ? text : "";
}

/** What may say more of an error: itself, and the `error` in it or in the body of the refusal. */
function toldBy(error: unknown): unknown[] {
  const body = bodyOf(error);
  return [error, member(error, "error"), body, member(body, "error")];
}

/** An error status that the error names, in `statusCode`, `status` or `code`, its own or its `error`'s. */
function statusOf(error: unknown): number | null {
  for (const holder of [error, member(error, "error")]) {
    for (const key of ["statusCode", "status", "code"]) {
      const status = Number(member(holder, key) ?? Number.NaN);
      if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
    }
  }
  return null;
}

/**
 * The Anthropic provider turns an error that comes first in a good response into status 500, whatever it was, and says
 * that it can't be retried; of a real 500 it says that it can.
 */
function isMadeUp(error: unknown, status: number): boolean {
  return status === 500 && member(error, "isRetryable") === false;
}

function classWithoutStatus(error: unknown, phase: FailurePhase): ModelFailureClass {
  const byCode = classOfCodes(error);
  if (byCode !== null) return byCode;

  const told = [error, member(error, "error"), bodyOf(error)];
  for (const holder of told) {
    const name = member(holder, "name");
    if (name === "AI_InvalidResponseDataError") {
      // The same class says "ended without a finish reason" (no data) and "this chunk makes no sense".
      return member(holder, "data") === undefined ? "incomplete_stream" : "malformed_stream";
    }
    const byName =
      typeof name === "string" && Object.hasOwn(CLASS_OF_NAME, name) ? CLASS_OF_NAME[name] : undefined;
    if (byName !== undefined) return byName;
  }
  for (const holder of told) {
    const byWord = classOfWords(holder);
    if (byWord !== null) return byWord;
  }
  // A socket that is cut in mid-stream comes with the status of its good response and as retryable.
  if (member(error, "isRetryable") === true) return "connection";
  return phase === "stream" ? "incomplete_stream" : "unknown";
}

/** The class of the first system error code in the chain of causes. */
function classOfCodes(error: unknown): ModelFailureClass | null {
  const seen = new Set<unknown>();
  for (
    let each = error;
    typeof each === "object" && each !== null && !seen.has(each);
    each = member(each, "cause")
  ) {
    seen.add(each);
    const code = member(each, "code");
    if (typeof code !== "string") continue;
    if (TIMEOUT_CODES.has(code)) return "timeout";
    if (CONNECTION_CODES.has(code)) return "connection";
  }
  return null;
}

function classOfWords(holder: unknown): ModelFailureClass | null {
  for (const key of ["code", "type", "status"]) {
    const word = member(holder, key);
    if (typeof word !== "string") continue;
    const lower = word.toLowerCase();
    const found = CLASS_OF_WORD.find(([fragment]) => lower.includes(fragment));
    if (found !== undefined) return found[1];
  }
  return null;
}

/** The body of a refusal, if it is JSON: only its words are read, to classify. */
function bodyOf(error: unknown): unknown {
  const body = member(error, "responseBody");
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined; // a page of HTML, say: it has no words for us
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
