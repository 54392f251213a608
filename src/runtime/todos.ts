/** `runtime.todos`: the todo lists of sessions, for callers and for the tool of a call. docs/reference/todos.md */
import type { FactData } from "../events/index.ts";
import {
  assertSessionId,
  idOfKey,
  isoTime,
  putTodos,
  sessionStreamName,
  setTodoStatus,
  storedTodos,
  versionAt,
  type TodoChange,
} from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock } from "../ports.ts";
import {
  actionableTodos,
  allTodosCompleted,
  blockingTodos,
  todoProgress,
  type Todo,
  type TodoProgress,
} from "../projections/index.ts";
import type { TodoControl } from "../tools/index.ts";
import type { SessionFact, SessionWriter } from "./session-writer.ts";

/** Where todo lists are kept. @internal */
export interface TodosDeps {
  readonly log: EventLog;
  readonly writer: SessionWriter;
  readonly clock: Clock;
}

/** Which version of a session is meant. */
export interface ReadAt {
  /** Default: the newest. */
  readonly at?: number;
}

type TodosWritten = FactData<"todos.written">;

/**
 * `runtime.todos`. A session is named by its id or its key, and need not have been started: an unknown one has no todos.
 * Every method rejects with InvalidSessionIdError for what can be no id. Reads with `at` reject with InvalidVersionError
 * for a version that the session has not; writes with SessionBusyError while another process leads the session, and
 * with `LEMON_CONFLICT` when others changed it three times meanwhile.
 */
export class RuntimeTodos {
  readonly #deps: TodosDeps;

  /** @internal */
  constructor(deps: TodosDeps) {
    this.#deps = deps;
  }

  /** The list, in its order. */
  async get(session: string, { at }: ReadAt = {}): Promise<readonly Todo[]> {
    const { log } = this.#deps;
    const id = idOfKey(session);
    assertSessionId(id);
    return storedTodos(log, id, await versionAt(log, sessionStreamName(id), at));
  }

  /**
   * Replaces the list. Known ids keep their times; what is missing gets its default.
   *
   * @returns the list as it is kept
   * @throws TodoError `invalid_todos`, `duplicate_todo_id`: then nothing is written
   */
  async put(session: string, todos: readonly object[]): Promise<readonly Todo[]> {
    const id = idOfKey(session);
    return this.#write(id, "put", putTodos(todos, id));
  }

  /**
   * Changes the status of one todo.
   *
   * @returns the list as it is kept
   * @throws TodoError `todo_not_found`, `invalid_status`
   */
  async updateStatus(session: string, todoId: string, status: string): Promise<readonly Todo[]> {
    const id = idOfKey(session);
    assertSessionId(id);
    return this.#write(id, "update_status", setTodoStatus(todoId, status));
  }

  /** Empties the list. Writes nothing when it is empty. */
  async clear(session: string): Promise<readonly Todo[]> {
    const id = idOfKey(session);
    assertSessionId(id);
    return this.#write(id, "clear", () => []);
  }

  /** How many todos there are of each status. */
  async progress(session: string, options: ReadAt = {}): Promise<TodoProgress> {
    return todoProgress(await this.get(session, options));
  }

  /** What can be begun: high priority first, then medium, then low, each in the order of the list. */
  async actionable(session: string, options: ReadAt = {}): Promise<readonly Todo[]> {
    return actionableTodos(await this.get(session, options));
  }

  /** What is not completed and holds up another todo that is not, in the order of the list. */
  async blocking(session: string, options: ReadAt = {}): Promise<readonly Todo[]> {
    return blockingTodos(await this.get(session, options));
  }

  /** Whether nothing is left to do, as is so of an empty list. */
  async allCompleted(session: string, options: ReadAt = {}): Promise<boolean> {
    return allTodosCompleted(await this.get(session, options));
  }

  async #write(
    sessionId: string,
    action: TodosWritten["action"],
    change: TodoChange,
  ): Promise<readonly Todo[]> {
    const { log, writer, clock } = this.#deps;
    const fact = await writer.update(sessionId, async (to) => {
      const list = await storedTodos(log, sessionId, to);
      if (action === "clear" && list.length === 0) return null;
      const todos = [...change(list, isoTime(clock.now()))];
      return { type: "todos.written", data: { action, todos, callId: null } };
    });
    return fact === null ? [] : (fact.data as TodosWritten).todos;
  }
}

/** What the tool of todos may do for a call of a session that is open here. @internal */
export function todosOfCall(
  sessionId: string,
  { log, writer, clock }: TodosDeps,
): (callId: string, record: (fact: SessionFact) => Promise<void>) => TodoControl {
  return (callId, record) => ({
    read: async () => storedTodos(log, sessionId, await versionAt(log, sessionStreamName(sessionId))),
    write: async (action, change) => {
      const { data } = await writer.updateWithin(sessionId, record, async (to) => {
        const todos = [...change(await storedTodos(log, sessionId, to), isoTime(clock.now()))];
        return { type: "todos.written", data: { action, todos, callId } };
      });
      return data.todos;
    },
  });
}
