/** What the tool of subagents may do for one call of a session that is open here. docs/reference/subagents.md */
import type { FactData } from "../../events/index.ts";
import {
  noTask,
  roleNamed,
  storedTasks,
  TaskError,
  type JoinRequest,
  type Role,
  type TaskRequest,
} from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Clock } from "../../ports.ts";
import { hasTaskEnded, type StoredTask, type Tasks } from "../../projections/index.ts";
import type { TaskControl, TaskReport } from "../../tools/index.ts";
import type { HeldSlots } from "./held-slots.ts";
import type { TaskCall } from "./task-call.ts";
import { reportOf } from "./reports.ts";
import type { TaskRun } from "./task-run.ts";

/** How deep subagents may be nested. */
export const MAX_DEPTH = 3;

/** What the control needs of its runtime. */
export interface TaskControlParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly slots: HeldSlots;
  readonly newId: () => string;
  /** How deep the session is itself. */
  readonly depth: () => number;
  readonly roles: () => Promise<ReadonlyMap<string, Role>>;
  /** Begins the work on a task that is in line. */
  readonly launch: (task: StoredTask) => Promise<TaskRun>;
  /** The work on a task in this process. */
  readonly running: (taskId: string) => TaskRun | null;
  /** Records that a task is cancelled. @returns whether it had no end before */
  readonly cancel: (data: FactData<"subagent.cancelled">) => Promise<boolean>;
}

/** The tasks of a session, for one of its calls. */
export class TasksOfCall implements TaskControl {
  readonly #call: TaskCall;
  readonly #parts: TaskControlParts;

  constructor(call: TaskCall, parts: TaskControlParts) {
    this.#call = call;
    this.#parts = parts;
  }

  async run(request: TaskRequest, signal: AbortSignal): Promise<TaskReport> {
    const { newId, depth, launch, slots } = this.#parts;
    const { sessionId, callId, record, keep } = this.#call;
    if (depth() >= MAX_DEPTH)
      throw new TaskError("forbidden", `a subagent that is ${MAX_DEPTH} deep has no subagents of its own`);
    const role = request.role === null ? null : roleNamed(await this.#parts.roles(), request.role);
    const told = role === null ? request.prompt : `${role.prompt}\n\n${request.prompt}`;
    const taskId = newId();
    const { description, isAsync, timeoutMs } = request;
    await record({
      type: "subagent.queued",
      data: {
        taskId,
        callId,
        description,
        role: role?.id ?? null,
        isAsync,
        timeoutMs,
        promptSha256: await keep(told),
        model: role?.model ?? null,
        delegates: role?.delegate ?? false,
      },
    });
    const run = await launch(await this.#task(taskId));
    if (!isAsync) {
      await slots.whileWaiting(sessionId, signal, () => this.#finish(run, timeoutMs, signal));
      signal.throwIfAborted();
    }
    return this.#report(await this.#task(taskId));
  }

  async look(taskIds: readonly string[] | null): Promise<readonly (TaskReport | null)[]> {
    const tasks = await this.#tasks();
    return this.#show((taskIds ?? Object.keys(tasks)).map((id) => tasks[id] ?? null));
  }

  async join(
    { taskIds, mode, timeoutMs }: JoinRequest,
    signal: AbortSignal,
  ): ReturnType<TaskControl["join"]> {
    const tasks = await this.#tasks();
    const open = taskIds.filter((id) => tasks[id] !== undefined && !hasTaskEnded(tasks[id]));
    const ends = open.map((id) => this.#parts.running(id)?.ended ?? never);
    const isOver =
      mode === "wait_any" && taskIds.some((id) => tasks[id] !== undefined && hasTaskEnded(tasks[id]));
    if (ends.length > 0 && !isOver) {
      const all = mode === "wait_all" ? Promise.all(ends) : Promise.race(ends);
      await this.#parts.slots.whileWaiting(this.#call.sessionId, signal, () =>
        this.#within(all, timeoutMs, signal),
      );
    }
    signal.throwIfAborted();
    return this.look(taskIds);
  }

  async cancel(taskId: string, reason: string | null): Promise<TaskReport> {
    const { callId } = this.#call;
    if ((await this.#tasks())[taskId] === undefined) throw noTask(taskId);
    await this.#parts.cancel({ taskId, cause: "asked", callId, reason });
    const [report = null] = await this.look([taskId]);
    if (report === null) throw noTask(taskId);
    return report;
  }

  /** A task that somebody waits for has so much time, its place in line included. */
  async #finish(run: TaskRun, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { taskId } = run;
    const how = await this.#within(run.ended, timeoutMs, signal);
    if (how === "expired") {
      await run.record({ type: "subagent.timed_out", data: { taskId, partialText: run.partialText } });
    } else if (how === "aborted") {
      const data = { taskId, cause: "call_ended", callId: null, reason: null } as const;
      await run.record({ type: "subagent.cancelled", data });
    }
  }

  #within(
    end: Promise<unknown>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<"ended" | "expired" | "aborted"> {
    return new Promise((resolve) => {
      const settle = (how: "ended" | "expired" | "aborted"): void => {
        cancel();
        signal.removeEventListener("abort", onAbort);
        resolve(how);
      };
      const onAbort = (): void => settle("aborted");
      const cancel = this.#parts.clock.setTimer(timeoutMs, () => settle("expired"));
      signal.addEventListener("abort", onAbort, { once: true });
      void end.then(() => settle("ended"));
      if (signal.aborted) onAbort();
    });
  }

  /** Ends that are told here need not be told again. */
  async #show(found: readonly (StoredTask | null)[]): Promise<readonly (TaskReport | null)[]> {
    const news = found.filter((task) => task !== null && task.isAsync && hasTaskEnded(task) && !task.isShown);
    const taskIds = news.flatMap((task) => task?.taskId ?? []);
    if (taskIds.length > 0)
      await this.#call.record({ type: "subagent.reported", data: { taskIds, callId: this.#call.callId } });
    return Promise.all(found.map(async (task) => (task === null ? null : this.#report(task))));
  }

  #report(task: StoredTask): Promise<TaskReport> {
    return reportOf(this.#parts.log, task);
  }

  #tasks(): Promise<Tasks> {
    return storedTasks(this.#parts.log, this.#call.sessionId);
  }

  async #task(taskId: string): Promise<StoredTask> {
    const task = (await this.#tasks())[taskId];
    if (task === undefined) throw noTask(taskId);
    return task;
  }
}

const never = new Promise<void>(() => undefined);
