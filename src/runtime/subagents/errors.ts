/** What the tasks of subagents refuse, beside what is said of a bad request. docs/reference/subagents.md */
import { LemonError } from "../../errors.ts";

/** The task has an end, or has started, already: the first of each counts. Code `LEMON_CONFLICT`. */
export class TaskEndedError extends LemonError {
  constructor() {
    super("conflict", "the task has started or come to its end already");
  }
}
