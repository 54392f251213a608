/** What can be wrong with what is asked of tasks. docs/reference/subagents.md, "Errors" */
import { LemonError, NotFoundError, type LemonErrorDetails } from "../../errors.ts";

/** The words that tell these errors apart. */
export type TaskReason =
  | "aborted"
  | "empty_prompt"
  | "forbidden"
  | "invalid_action"
  | "invalid_options"
  | "invalid_prompt"
  | "invalid_role"
  | "missing_task_id";

/** Something about a task can't be done; `reason` says what. No task was begun. */
export class TaskError extends LemonError {
  constructor(reason: TaskReason, message: string, details: LemonErrorDetails = {}) {
    super(reason, message, details);
  }
}

const TASK_ID = /^task_[0-9a-f]{16}$/;

/** Whether it can be the id of a task; one that can't is answered like one that nobody knows. */
export function isTaskId(id: unknown): id is string {
  return typeof id === "string" && TASK_ID.test(id);
}

/** There is no such task. */
export function noTask(id: unknown): NotFoundError {
  const what = isTaskId(id) ? id : "of that id: one is task_ and 16 hexadecimal digits";
  return new NotFoundError(`there is no task ${what}`, { field: "taskId" });
}
