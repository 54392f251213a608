/** The todo list of a session, as its log has it. */
import { historyOf, type EventLog } from "../../log/index.ts";
import { project, todos, type Todo } from "../../projections/index.ts";
import { sessionStreamName } from "../session-id.ts";

/**
 * The list as it was after a version: that of the last fact of a list, which is all there is to fold.
 *
 * @param to - 0: before the first fact. A fork begins with the list of its parent
 */
export async function storedTodos(log: EventLog, sessionId: string, to: number): Promise<readonly Todo[]> {
  if (to === 0) return todos.initial;
  const types = Object.keys(todos.types);
  for await (const fact of historyOf(log, sessionStreamName(sessionId), { types, to, backwards: true }))
    return project(todos, todos.initial, fact);
  return todos.initial;
}
