/** `runtime.tasks`: the tasks that sessions gave to subagents, for callers. docs/reference/subagents.md, "In a program" */
import { upcast, type FactOf } from "../../events/index.ts";
import {
  assertSessionId,
  currentTasks,
  idOfKey,
  isTaskId,
  noTask,
  storedTasks,
} from "../../harness/index.ts";
import type { Cursor, EventLog } from "../../log/index.ts";
import { hasTaskEnded, type StoredTask, type TaskStatus } from "../../projections/index.ts";
import type { TaskReport } from "../../tools/index.ts";
import type { SessionWriter } from "../session-writer.ts";
import { TaskEndedError } from "./errors.ts";
import { reportOf } from "./reports.ts";

/** A task at a glance. Times are epoch milliseconds. */
export interface TaskSummary {
  readonly taskId: string;
  /** Where its subagent works: the same id. */
  readonly sessionId: string;
  readonly parentSessionId: string;
  readonly description: string;
  readonly role: string | null;
  /** No call waits for it. */
  readonly isAsync: boolean;
  readonly status: TaskStatus;
  /** What a failed one failed by. */
  readonly failure: StoredTask["failure"];
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** A task with what it came to. */
export interface TaskResult extends TaskSummary, Pick<TaskReport, "filesChanged" | "coverage"> {
  /** The answer of a completed one. */
  readonly text: string | null;
  /** What was said before an end of another kind. */
  readonly partialText: string | null;
}

/** What a cancel came to. */
export interface TaskCancel {
  readonly taskId: string;
  /** Whether it had no end before. */
  readonly cancelled: boolean;
  readonly status: TaskStatus;
}

/** Characters of a free-text reason that are kept. */
const MAX_REASON = 500;

/** `runtime.tasks` */
export class RuntimeTasks {
  readonly #log: EventLog;
  readonly #writer: SessionWriter;
  readonly #parents = new Map<string, string>();
  #indexed: Cursor | undefined;

  /** @internal */
  constructor({ log, writer }: { readonly log: EventLog; readonly writer: SessionWriter }) {
    this.#log = log;
    this.#writer = writer;
  }

  /** The tasks of a session, the oldest first; none for one that nobody knows. @throws InvalidSessionIdError */
  async list(sessionIdOrKey: string): Promise<readonly TaskSummary[]> {
    const sessionId = idOfKey(sessionIdOrKey);
    assertSessionId(sessionId);
    const tasks = await currentTasks(this.#log, sessionId);
    return Object.values(tasks).map((task) => summaryOf(sessionId, task));
  }

  /** A task with its result. @throws NotFoundError */
  async get(taskId: string): Promise<TaskResult> {
    const parentId = await this.#parentOf(taskId);
    const task = (await currentTasks(this.#log, parentId))[taskId];
    if (task === undefined) throw noTask(taskId);
    const { text, partialText, filesChanged, coverage } = await reportOf(this.#log, task);
    return { ...summaryOf(parentId, task), text, partialText, filesChanged, coverage };
  }

  /**
   * Ends a task. Its end is recorded first; then its subagent and its commands are stopped.
   *
   * @param reason - kept in the fact alone, 500 characters of it
   * @throws NotFoundError; SessionBusyError when another process leads the session of the task
   */
  async cancel(taskId: string, reason: string | null = null): Promise<TaskCancel> {
    const parentId = await this.#parentOf(taskId);
    const kept = reason === null ? null : Array.from(reason).slice(0, MAX_REASON).join("");
    const data = { taskId, cause: "asked", callId: null, reason: kept } as const;
    const deciding = this.#writer.update(parentId, async (to) => {
      const task = (await storedTasks(this.#log, parentId, to))[taskId];
      return task === undefined || hasTaskEnded(task) ? null : { type: "subagent.cancelled", data };
    });
    const written = await deciding.catch((error: unknown) => {
      // It ended in between: the first end is the end.
      if (error instanceof TaskEndedError) return null;
      throw error;
    });
    const task = (await storedTasks(this.#log, parentId))[taskId];
    if (task === undefined) throw noTask(taskId);
    return { taskId, cancelled: written !== null, status: task.status };
  }

  /** Whose task it is. Ids say nothing of that, so those that the log holds are learnt as it grows. */
  async #parentOf(taskId: string): Promise<string> {
    if (!isTaskId(taskId)) throw noTask(taskId);
    if (!this.#parents.has(taskId)) await this.#index();
    const parentId = this.#parents.get(taskId);
    if (parentId === undefined) throw noTask(taskId);
    return parentId;
  }

  async #index(): Promise<void> {
    const after = this.#indexed === undefined ? {} : { after: this.#indexed };
    for await (const fact of this.#log.readAll({ ...after, types: ["subagent.queued"] })) {
      const { taskId } = (upcast(fact) as FactOf<"subagent.queued">).data;
      this.#parents.set(taskId, fact.stream.slice("session-".length));
      this.#indexed = this.#log.cursorOf(fact);
    }
  }
}

function summaryOf(parentSessionId: string, task: StoredTask): TaskSummary {
  const { taskId, description, role, isAsync, status, failure, queuedAt, startedAt, endedAt } = task;
  return {
    taskId,
    sessionId: taskId,
    parentSessionId,
    description,
    role,
    isAsync,
    status,
    failure,
    queuedAt,
    startedAt,
    endedAt,
  };
}
