/**
 * What can go wrong, in one shape. Every room subclasses `LemonError`; callers match `code`, never the message.
 */

/** What an error may carry besides its message. `got` is a type name or a bounded word, never content. */
export interface LemonErrorDetails {
  /** JSON Pointer, option name or configuration key that the error is about. */
  readonly field?: string;
  readonly expected?: string | number;
  readonly got?: string;
  readonly cause?: unknown;
}

/**
 * The base of every error that a caller may want to tell apart.
 *
 * @param reason - a stable lower-case word such as `not_found`; `code` is `LEMON_` and that word in upper case
 * @param message - for people: names the thing, what was found, what was expected, what to do
 */
export class LemonError extends Error {
  readonly reason: string;
  readonly code: string;
  readonly field?: string;
  readonly expected?: string | number;
  readonly got?: string;

  constructor(reason: string, message: string, details: LemonErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.reason = reason;
    this.code = `LEMON_${reason.toUpperCase()}`;
    if (details.field !== undefined) this.field = details.field;
    if (details.expected !== undefined) this.expected = details.expected;
    if (details.got !== undefined) this.got = details.got;
  }
}

/** Something that was asked for by name or id is not there. Code `LEMON_NOT_FOUND`. */
export class NotFoundError extends LemonError {
  constructor(message: string, details: LemonErrorDetails = {}) {
    super("not_found", message, details);
  }
}

/** The message of any thrown value, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a log line says of any thrown value: the code of an error of ours, else its name; never its message. */
export function codeForLog(error: unknown): string {
  if (error instanceof LemonError) return error.code;
  return error instanceof Error ? error.name : "unknown";
}

/** What an error says that it got: `null`, `array` or the `typeof` word, never what the value holds. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
