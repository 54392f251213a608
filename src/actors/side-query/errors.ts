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

/** The words for a model that nobody knows, or that nobody named. */
export const NO_MODEL: ReadonlySet<string> = new Set(["no_model", "unknown_model"]);

/**
 * The error of a query that failed.
 *
 * @param why - the word for what was behind it, as it stands in the log
 */
export function failedQuery(reason: SideQueryReason, why: string | null): SideQueryError {
  if (why === null || !NO_MODEL.has(why)) return new SideQueryError(reason);
  return new SideQueryError(reason, {
    field: "model",
    expected: "provider/model-id of a model that is known",
  });
}

/** The error that a caller is told; what is no word of these becomes `query_failed`. */
export function asSideQueryError(error: unknown): SideQueryError {
  if (error instanceof SideQueryError) return error;
  return failedQuery("query_failed", error instanceof LemonError ? error.reason : null);
}
