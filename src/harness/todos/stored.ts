/** The todo list of a session, as its log has it. */
import type { EventLog } from "../../log/index.ts";
import { project, todos, type Todo } from "../../projections/index.ts";
import { sessionStreamName } from "../session-id.ts";

/**
 * The list as it was after a version: that of the last fact of a list, which is all there is to fold.
 *
 * @param to - 0: before the first fact
 */
export async function storedTodos(log: EventLog, sessionId: string, to: number): Promise<readonly Todo[]> {
  const types = Object.keys(todos.types);
  for await (const fact of log.read(sessionStreamName(sessionId), { types, to, backwards: true }))
    return project(todos, todos.initial, fact);
  return todos.initial;
}
