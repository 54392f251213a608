/** `lemon todos ID [--at N]` */
import {
  assertSessionId,
  idOfKey,
  problemText,
  sessionStreamName,
  storedTodos,
  versionAt,
} from "../../harness/index.ts";
import { actionableTodos, todoProblems, todoProgress } from "../../projections/index.ts";
import { SessionNotFoundError } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";
import { todoLines } from "../todo-lines.ts";

/** Shows the todo list of a session, as it is or was after a fact. A session may have one before it is started. */
export async function todos(context: Context, id: string, { at }: { readonly at?: number }): Promise<Status> {
  const { out } = context;
  const sessionId = idOfKey(id);
  assertSessionId(sessionId);
  const { version, list } = await readingLog(context, async (log) => {
    const stream = sessionStreamName(sessionId);
    if ((await versionAt(log, stream)) === 0) throw new SessionNotFoundError(sessionId);
    const asked = await versionAt(log, stream, at);
    return { version: asked, list: await storedTodos(log, sessionId, asked) };
  });
  if (out.json) {
    out.document({
      sessionId,
      version,
      todos: list,
      progress: todoProgress(list),
      actionable: actionableTodos(list).map((todo) => todo.id),
      dependencyProblems: todoProblems(list),
    });
    return statuses.done;
  }
  for (const line of todoLines(list)) out.line(line);
  const problems = problemText(todoProblems(list));
  if (problems !== null) out.warn(problems);
  return statuses.done;
}
