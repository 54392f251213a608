/** What went wrong with a run, for log lines and for what to do about it. */
import { LemonError } from "../../errors.ts";

/** Another process still holds the session, or the log can't be written at the moment. */
const PASSING = new Set([
  "session_busy",
  "log_busy",
  "log_full",
  "log_io",
  "log_read_only",
  "log_unavailable",
  "fenced",
]);

/** What went wrong, in a bounded word. */
export function reasonOf(error: unknown): string {
  return error instanceof LemonError ? error.reason : error instanceof Error ? error.name : "unknown";
}

/** Whether it may go by itself: then it is tried again. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(reasonOf(error));
}
