/** What can be wrong with a todo list, or with what is asked of it. docs/reference/todos.md */
import { LemonError, type LemonErrorDetails } from "../../errors.ts";

/** The words that tell these errors apart. */
export type TodoReason =
  | "aborted"
  | "invalid_action"
  | "invalid_todos"
  | "duplicate_todo_id"
  | "todo_not_found"
  | "invalid_status";

/** Something about a todo list can't be done; `reason` says what. Nothing was written. */
export class TodoError extends LemonError {
  constructor(reason: TodoReason, message: string, details: LemonErrorDetails = {}) {
    super(reason, message, details);
  }
}
