/**
 * From the reason of an error to its number and word on the wire. Every reason that the source can give is in a class
 * on purpose: a test fails when one is in none. docs/reference/control-plane.md, "Errors"
 */

/** A class of errors. */
export interface ErrorClass {
  readonly number: number;
  readonly code: string;
  /** What is said of it: fixed, so that nothing of the error itself can get out. */
  readonly sentence: string;
  readonly reasons: readonly string[];
}

const words = (text: string): string[] => text.split(" ");

/** All classes. Reasons that begin with `invalid_`, `empty_` or `missing_` and stand nowhere else are INVALID_PARAMS. */
export const errorClasses: readonly ErrorClass[] = [
  {
    number: -32700,
    code: "PARSE_ERROR",
    sentence: "The message is not JSON.",
    reasons: ["parse_error"],
  },
  {
    number: -32600,
    code: "INVALID_REQUEST",
    sentence: "The message is not a request of JSON-RPC 2.0.",
    reasons: words("invalid_request message_too_large invalid_batch"),
  },
  {
    number: -32601,
    code: "METHOD_NOT_FOUND",
    sentence: "There is no such method.",
    reasons: ["method_not_found"],
  },
  {
    number: -32602,
    code: "INVALID_PARAMS",
    sentence: "A parameter is missing or wrong.",
    reasons: words(
      "duplicate_todo_id path_not_in_checkpoint not_filesystem_checkpoint not_session_checkpoint no_model unknown_model not_text",
    ),
  },
  {
    number: -32603,
    code: "INTERNAL_ERROR",
    sentence: "The call failed by a fault that is not the caller's.",
    reasons: words(
      "internal query_failed generation_failed start_failed actor_crashed handler_failed unusable_extension malformed_part",
    ),
  },
  {
    number: -32001,
    code: "UNAUTHORIZED",
    sentence: "A valid bearer token is needed.",
    reasons: ["unauthorized"],
  },
  {
    number: -32002,
    code: "FORBIDDEN",
    sentence: "This caller may not do that.",
    reasons: words("forbidden unsafe_path outside_cwd unsafe_token_file"),
  },
  {
    number: -32003,
    code: "NOT_FOUND",
    sentence: "What was asked for is not there.",
    reasons: words("not_found session_not_found todo_not_found feature_not_found"),
  },
  {
    number: -32004,
    code: "CONFLICT",
    sentence: "The call does not fit the state of things.",
    reasons: words(
      "conflict session_busy session_streaming fenced already_streaming not_streaming file_changed " +
        "file_changed_during_read version_conflict cursor_ahead cwd_not_empty session_exists plan_mode_unchanged " +
        "approval_pending data_redacted bundle_conflict check_never_fails check_fails_at_start check_undecided " +
        "nothing_changed expression_never_holds already_started already_present running restarting job_taken",
    ),
  },
  {
    number: -32005,
    code: "TIMEOUT",
    sentence: "The call took too long.",
    reasons: words("timeout call_timeout expression_timed_out"),
  },
  {
    number: -32006,
    code: "CANCELLED",
    sentence: "The call was cancelled.",
    reasons: words("cancelled aborted"),
  },
  {
    number: -32007,
    code: "RATE_LIMITED",
    sentence: "Too much at once: try again later.",
    reasons: words("queue_full too_many_subscriptions mailbox_full max_children lane_full"),
  },
  {
    number: -32008,
    code: "UNAVAILABLE",
    sentence: "What the call needs can't be had now.",
    reasons: words(
      "session_unavailable history_unavailable no_model_available content_unavailable capture_failed read_failed " +
        "write_failed no_space permission_denied shutting_down reload_failed extension_quarantined log_corrupt log_full " +
        "log_read_only log_newer replay_diverged log_busy log_closed log_io log_unavailable log_unreadable schema_newer bundle_newer " +
        "session_failed stream_closed memory_unavailable no_api_key noproc call_exited port_unavailable file",
    ),
  },
  {
    number: -32009,
    code: "NOT_IMPLEMENTED",
    sentence: "This method is not implemented here.",
    reasons: ["not_implemented"],
  },
  {
    number: -32010,
    code: "UNSUPPORTED_FILE",
    sentence: "The file is of a kind or size that is not handled.",
    reasons: words("file_too_large unsupported_file_type"),
  },
  {
    number: -32011,
    code: "INVALID_DOCUMENT",
    sentence: "The document is not what it must be.",
    reasons: words("json_decode bundle_invalid bundle_too_large invalid_requirements truncated_response"),
  },
];

const byReason = new Map(
  errorClasses.flatMap((each) => each.reasons.map((reason) => [reason, each] as const)),
);
const byCode = new Map(errorClasses.map((each) => [each.code, each]));

/** The class of a reason; `null` when it is in none. */
export function classOf(reason: string): ErrorClass | null {
  const found = byReason.get(reason);
  if (found !== undefined) return found;
  return /^(?:invalid|empty|missing)_/.test(reason) ? (byCode.get("INVALID_PARAMS") ?? null) : null;
}

/** What is said of reasons of which more can be said than of their class; fixed as well. */
export const sentences: Readonly<Record<string, string>> = {
  session_not_found: "There is no such session.",
  session_busy: "Another process leads the session.",
  session_exists: "A session with this id exists.",
  already_streaming: "The session is in a run.",
  not_streaming: "The session is in no run.",
  cwd_not_empty: "The folder is not empty.",
  cursor_ahead: "The cursor lies beyond the end of the log.",
  mailbox_full: "Too many calls are waiting.",
  query_failed: "The model gave no answer that can be used, or there is no such model.",
  no_model: "No model is named or configured.",
  unknown_model: "There is no such model.",
};
