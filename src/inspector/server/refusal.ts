/** How a failure is answered. */
import { codeForLog, LemonError, messageOf } from "../../errors.ts";
import type { Logger } from "../../ports.ts";
import type { ErrorAnswer } from "../api.ts";

/** Why a request is not let in, and the status that says so. */
const statuses = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  message_too_large: 413,
  too_many_subscriptions: 429,
  not_implemented: 501,
  shutting_down: 503,
} as const;

/** A request that is not let in. Code: `LEMON_` and the reason. */
export class RefusedRequestError extends LemonError {
  readonly status: number;

  constructor(reason: keyof typeof statuses, message: string) {
    super(reason, message);
    this.status = statuses[reason];
  }
}

/** The status and the body for an error. What is no error of ours is logged by its name, and told as `internal`. */
export function refusalOf(
  error: unknown,
  logger: Logger,
): { readonly status: number; readonly body: ErrorAnswer } {
  if (!(error instanceof LemonError)) {
    logger.error({ error: codeForLog(error) }, "a request of the page failed");
    const message = "the answer could not be made: the server's own output may tell why";
    return { status: 500, body: { error: { code: "LEMON_INTERNAL", reason: "internal", message } } };
  }
  const { code, reason, field, expected, got } = error;
  const about = {
    ...(field === undefined ? {} : { field }),
    ...(expected === undefined ? {} : { expected }),
    ...(got === undefined ? {} : { got }),
  };
  return { status: statusOf(error), body: { error: { code, reason, message: messageOf(error), ...about } } };
}

function statusOf(error: LemonError): number {
  if (error instanceof RefusedRequestError) return error.status;
  const { reason } = error;
  if (reason === "not_found" || reason.endsWith("_not_found")) return 404;
  if (reason.startsWith("invalid_")) return 400;
  // What the log itself can't do; all else is something that the asked thing does not allow as it is now.
  return reason.startsWith("log_") ? 503 : 409;
}
