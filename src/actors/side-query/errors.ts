/** Why a side query has no answer. docs/reference/side-queries.md, "Errors" */
import { LemonError, type LemonErrorDetails } from "../../errors.ts";

/** The words for it; there are no others. */
export type SideQueryReason =
  | "empty_question"
  | "invalid_question"
  | "invalid_source"
  | "session_not_found"
  | "session_unavailable"
  | "history_unavailable"
  | "timeout"
  | "cancelled"
  | "query_failed";

const MESSAGES: Readonly<Record<SideQueryReason, string>> = {
  empty_question: "a side query needs a question that is not blank",
  invalid_question: "a side query needs a question: text of at most 32 KiB",
  invalid_source: "a side query needs a source: a session, its id or key, or { messages, systemPrompt }",
  session_not_found: "there is no such session",
  session_unavailable: "the session can't be read now",
  history_unavailable: "the history of the session can't be read now",
  timeout: "the side query was not answered in time",
  cancelled: "the side query was cancelled",
  query_failed: "the side query was not answered",
};

/**
 * A side query has no answer. Code: `LEMON_` and the reason in upper case.
 *
 * Nothing of what was behind it stands in it: no text of a provider, no path, no secret, and no cause.
 */
export class SideQueryError extends LemonError {
  constructor(reason: SideQueryReason, details: Omit<LemonErrorDetails, "cause"> = {}) {
    const { field, expected } = details;
    const isToldAlready = field === undefined || field === "question" || field === "source";
    const where = isToldAlready ? "" : `: ${field}: expected ${expected ?? "another value"}`;
    super(reason, `${MESSAGES[reason]}${where}`, details);
  }
}

/** The error that a caller is told; what is no word of these becomes `query_failed`. */
export function asSideQueryError(error: unknown): SideQueryError {
  return error instanceof SideQueryError ? error : new SideQueryError("query_failed");
}
