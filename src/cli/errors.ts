/** From what went wrong to an exit status. docs/reference/cli.md lists them. */
import { LemonError } from "../errors.ts";

/** The command line asks for something that makes no sense. Code `LEMON_INVALID_USAGE`. */
export class UsageError extends LemonError {
  constructor(message: string, details: { readonly field?: string; readonly expected?: string } = {}) {
    super("invalid_usage", message, details);
  }
}

/** Calls wait for an answer, and there is no terminal to ask on. Code `LEMON_APPROVAL_PENDING`. */
export class ApprovalPendingError extends LemonError {
  constructor(sessionId: string, calls: readonly string[]) {
    super(
      "approval_pending",
      `session ${sessionId} waits for an answer to ${calls.join(", ")}, and there is no terminal to ask on: ` +
        "answer with `lemon allow ID` or `lemon deny ID`, or give --approve auto or --approve deny",
    );
  }
}

/** The exit statuses of every command. */
export const statuses = { done: 0, failed: 1, badUsage: 2, notThere: 3, interrupted: 130 } as const;

/** An exit status: one of those, or that of a command which this one ran in its place. */
export type Status = number;

/** Beside the words that say so: a document that can't be read is like a configuration that can't. */
const BAD_USAGE = new Set([
  "no_model",
  "no_model_available",
  "unknown_model",
  "json_decode",
  "cwd_not_empty",
  "path_not_in_checkpoint",
  "not_filesystem_checkpoint",
  "not_session_checkpoint",
]);
/** Places that can't be logs, whatever is done about them: another should have been named. */
const NO_LOG_THERE = new Set(["unknown_scheme", "no_directory", "not_a_file", "not_a_log", "already_exists"]);

/** The exit status of an error. */
export function statusOf(error: unknown): Status {
  if (!(error instanceof LemonError)) return statuses.failed;
  const { reason } = error;
  if (/(^|_)not_found$/.test(reason)) return statuses.notThere;
  if (/^(invalid|empty|missing)_/.test(reason) || BAD_USAGE.has(reason)) return statuses.badUsage;
  const isElsewhere = "because" in error && NO_LOG_THERE.has(String(error.because));
  return reason === "log_unavailable" && isElsewhere ? statuses.badUsage : statuses.failed;
}

/** An error as `--json` shows it. */
export function errorDocument(error: unknown): {
  readonly error: { code: string; reason: string; message: string };
} {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof LemonError))
    return { error: { code: "LEMON_INTERNAL", reason: "internal", message } };
  return { error: { code: error.code, reason: error.reason, message } };
}
