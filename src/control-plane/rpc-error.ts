/** An error as it goes over the wire: a number, words, fixed sentences; nothing of what was thrown. */
import { LemonError } from "../errors.ts";
import { kindAtField } from "./given.ts";
import type { Ids, Logger } from "../ports.ts";
import { cutBytes, MAX_PREVIEW_BYTES, redactText } from "../secrets/index.ts";
import { classOf, sentences, type ErrorClass } from "./error-classes.ts";

/** A parameter that is wrong. */
export interface WrongField {
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** The member `error` of an answer. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data: {
    readonly code: string;
    readonly reason: string;
    readonly errorId?: string;
    readonly field?: string;
    readonly fields?: readonly WrongField[];
    readonly path?: string;
  };
}

/**
 * Why a message or call was refused. Its message is a fixed sentence and goes over the wire. Code: `LEMON_` and the
 * reason.
 */
export class RefusedError extends LemonError {
  constructor(
    reason:
      | "parse_error"
      | "invalid_request"
      | "message_too_large"
      | "invalid_batch"
      | "method_not_found"
      | "unauthorized"
      | "forbidden"
      | "not_implemented"
      | "too_many_subscriptions"
      | "shutting_down",
    message: string,
  ) {
    super(reason, message);
  }
}

/** Parameters are missing or wrong: all of them are named. Code `LEMON_INVALID_PARAMS`. */
export class InvalidParamsError extends LemonError {
  readonly fields: readonly WrongField[];

  constructor(fields: readonly WrongField[]) {
    const [first] = fields;
    super("invalid_params", fields.map(describe).join("; "), first);
    this.fields = fields;
  }
}

function describe({ field, expected, got }: WrongField): string {
  return `${field}: expected ${expected}, got ${got}`;
}

/** Who is told of faults that are not the caller's. */
export interface FaultReport {
  readonly logger: Logger;
  readonly ids: Ids;
  readonly method: string | null;
  /** What it was given. */
  readonly params: unknown;
}

/** What goes over the wire of anything that was thrown. Faults of ours are put into the log under an id. */
export function wireError(error: unknown, report: FaultReport): WireError {
  const found = error instanceof LemonError ? classOf(error.reason) : null;
  if (found === null || found.code === "INTERNAL_ERROR") return internal(error, found, report);
  const { reason } = error as LemonError;
  return {
    code: found.number,
    message: error instanceof RefusedError ? error.message : (sentences[reason] ?? found.sentence),
    data: { code: found.code, reason, ...details(error as LemonError, found, report.params) },
  };
}

/** The answer to a message that is one too many: it is not even looked at. */
export const tooMany: WireError = {
  code: -32007,
  message: "Too many calls are waiting.",
  data: { code: "RATE_LIMITED", reason: "mailbox_full" },
};

function details(error: LemonError, { code }: ErrorClass, params: unknown): Partial<WireError["data"]> {
  const { field, expected, got } = error;
  const fields =
    error instanceof InvalidParamsError
      ? error.fields
      : code === "INVALID_PARAMS" && field !== undefined
        ? [{ field, expected: String(expected ?? "another value"), got: got ?? kindAtField(params, field) }]
        : undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return {
    ...(field === undefined ? {} : { field: safe(field) }),
    ...(fields === undefined ? {} : { fields: fields.map(safeField) }),
    ...(path === undefined ? {} : { path: safe(path) }),
  };
}

function safeField({ field, expected, got }: WrongField): WrongField {
  return { field: safe(field), expected: safe(expected), got: safe(got) };
}

function safe(text: string): string {
  return cutBytes(redactText(text).text, MAX_PREVIEW_BYTES).text;
}

const INTERNAL = -32603;

function internal(error: unknown, found: ErrorClass | null, { logger, ids, method }: FaultReport): WireError {
  const errorId = ids("err");
  const reason = found === null || !(error instanceof LemonError) ? "internal" : error.reason;
  logger.error({ errorId, method, ...nameOf(error) }, "a call of the control plane failed");
  return {
    code: INTERNAL,
    message:
      "The call failed by a fault that is not the caller's; the log of the runtime knows it by its errorId.",
    data: { code: "INTERNAL_ERROR", reason, errorId },
  };
}

/** What it was and where, without its message: that may hold anything. */
function nameOf(error: unknown): {
  readonly error: string;
  readonly code: string | null;
  readonly at: readonly string[];
} {
  if (!(error instanceof Error)) return { error: typeof error, code: null, at: [] };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code, at: frames.slice(0, 8).map((line) => line.trim()) };
}
