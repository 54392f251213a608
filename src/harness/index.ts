/** The rules behind the long-running harness: todos and progress. */
export { isoTime } from "./iso-time.ts";
export {
  assertSessionId,
  idOfKey,
  InvalidSessionIdError,
  isSessionId,
  sessionStreamName,
} from "./session-id.ts";
export { TodoError } from "./todos/errors.ts";
export { todoPriorities, todoStatuses } from "./todos/item.ts";
export { putTodos, setTodoStatus, updateTodo, type TodoChange } from "./todos/list.ts";
export { problemText } from "./todos/problem-text.ts";
export { storedTodos } from "./todos/stored.ts";
export { lastVersionOf, versionAt } from "./versions.ts";
