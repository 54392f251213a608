/** The subagents of a runtime: who works on which task, and what becomes of tasks when their session opens, stops or goes. */
import { StreamClosedError } from "../../actors/index.ts";
import { codeForLog, LemonError } from "../../errors.ts";
import type { Fact, FactData } from "../../events/index.ts";
import { loadRoles, sessionStreamName, storedTasks, type Role } from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Clock, Ids, Logger } from "../../ports.ts";
import {
  hasTaskEnded,
  isTaskEnd,
  project,
  tasks,
  type StoredTask,
  type TaskEnd,
} from "../../projections/index.ts";
import { findSession } from "../../replay/index.ts";
import type { Supervisor } from "../../supervision/index.ts";
import type { TaskControl } from "../../tools/index.ts";
import type { Lane } from "../lane.ts";
import type { SessionStream } from "../session-stream.ts";
import type { Sessions } from "../sessions.ts";
import { MAX_DEPTH, TasksOfCall } from "./control.ts";
import type { TaskCall } from "./task-call.ts";
import { TaskEndedError } from "./errors.ts";
import { LiveText } from "../live-text.ts";
import { HeldSlots } from "./held-slots.ts";
import { TaskRun } from "./task-run.ts";

const STREAM_PREFIX = sessionStreamName("");
/** Milliseconds that the work on a task gets to end when it is shut down: its commands need a few. */
const SHUTDOWN_MS = 10_000;

/** What subagents need of their runtime. */
export interface SubagentsDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly home: string;
  readonly lane: Lane;
  readonly sessions: () => Sessions;
  /** Of the work on tasks, as it is now. */
  readonly supervisor: () => Supervisor;
  /** Whether a project's own file may loosen what its user said. */
  readonly isTrusted: (cwd: string) => Promise<boolean>;
}

/** The subagents of a runtime. */
export class Subagents {
  readonly #deps: SubagentsDeps;
  readonly #slots: HeldSlots;
  /** Those that are queued and not started yet, from their fact on. */
  readonly #inLine = new Map<string, TaskRun>();
  readonly #running = new Map<string, { readonly run: TaskRun; readonly exited: Promise<unknown> }>();

  constructor(deps: SubagentsDeps) {
    this.#deps = deps;
    this.#slots = new HeldSlots(deps.lane);
  }

  /** What the tool may do for a call. */
  controlOf(call: TaskCall): TaskControl {
    const { log, clock, ids } = this.#deps;
    const { sessionId } = call;
    return new TasksOfCall(call, {
      log,
      clock,
      slots: this.#slots,
      newId: () => ids("task"),
      depth: () => this.#views(sessionId)?.lineage.depth ?? MAX_DEPTH,
      roles: () => this.#roles(this.#views(sessionId)?.cwd ?? ""),
      launch: (task) => this.#launch(sessionId, task),
      running: (taskId) => this.#running.get(taskId)?.run ?? null,
      cancel: (data) => this.cancel(sessionId, data),
    });
  }

  /** Sees every durable fact of a session that is open here. Who is queued stands in line from its fact on, in their order. */
  take(fact: Fact): void {
    if (fact.type === "subagent.queued") {
      const { taskId } = fact.data as FactData<"subagent.queued">;
      const task = project(tasks, tasks.initial, fact)[taskId];
      if (task !== undefined)
        this.#inLine.set(taskId, this.#run(fact.stream.slice(STREAM_PREFIX.length), task));
    } else if (isTaskEnd(fact.type)) {
      const { taskId } = fact.data as FactData<TaskEnd>;
      this.#inLine.get(taskId)?.end();
      this.#running.get(taskId)?.run.end();
    }
  }

  /**
   * A session is opened again: tasks for which a call waited are cancelled, as nobody waits any more; others go on, or
   * start if they had not. What a subagent of an ended task was at when its process died is brought to its end.
   */
  async recover(sessionId: string): Promise<void> {
    const { log } = this.#deps;
    for (const task of Object.values(await storedTasks(log, sessionId))) {
      const { taskId, isAsync } = task;
      const isOver = hasTaskEnded(task);
      if (!isOver && isAsync) await this.#launch(sessionId, task);
      else if (!isOver)
        await this.cancel(sessionId, { taskId, cause: "call_ended", callId: null, reason: null });
      if (isOver || !isAsync) await this.#tidy(sessionId, task);
    }
  }

  /** Records that a task is cancelled; its subagent is stopped then. @returns whether it had no end before */
  async cancel(sessionId: string, data: FactData<"subagent.cancelled">): Promise<boolean> {
    const stream = this.#deps.sessions().streamOf(sessionId);
    if (stream === null) return false;
    try {
      await stream.submit("subagent.cancelled", data);
      return true;
    } catch (error) {
      if (error instanceof TaskEndedError || error instanceof StreamClosedError) return false;
      throw error;
    }
  }

  /** A session is not open here any more: nor are its subagents, once this resolves. */
  async leave(sessionId: string): Promise<void> {
    const own = [...this.#running.values()].filter(({ run }) => run.parentId === sessionId);
    for (const { run } of own) run.leave();
    await Promise.all(own.map(({ exited }) => exited));
  }

  #run(parentId: string, task: StoredTask): TaskRun {
    const { taskId } = task;
    const { lane, clock, logger, log } = this.#deps;
    const parent = (): SessionStream | null => this.#deps.sessions().streamOf(parentId);
    const live = new LiveText();
    return new TaskRun(
      { parentId, task },
      {
        lane,
        slots: this.#slots,
        clock,
        logger,
        parent,
        open: () => this.#open(parentId, task, live),
        wasOpened: async () => (await findSession(log, taskId)) !== null,
        lastText: () => {
          const text = live.text ?? this.#views(taskId)?.lastText ?? "";
          return text.trim() === "" ? null : text;
        },
      },
    );
  }

  /** Starts the work on a task under its supervisor. */
  async #launch(parentId: string, task: StoredTask): Promise<TaskRun> {
    const { taskId } = task;
    const { log, supervisor } = this.#deps;
    const run = this.#inLine.get(taskId) ?? this.#run(parentId, task);
    this.#inLine.delete(taskId);
    const spec = {
      id: taskId,
      restart: "temporary",
      shutdown: SHUTDOWN_MS,
      start: () => run.start(),
    } as const;
    const { child } = await supervisor()
      .startChild(spec)
      .catch(async (error: unknown) => {
        await run.abandon();
        throw error;
      });
    const exited = (child?.exited ?? Promise.resolve()).then(() => this.#running.delete(taskId));
    this.#running.set(taskId, { run, exited });
    // Ended between its queueing and now.
    const now = (await storedTasks(log, parentId))[taskId];
    if (now !== undefined && hasTaskEnded(now)) run.end();
    return run;
  }

  /** The session of a task, a new one or as it was left. */
  async #open(parentId: string, task: StoredTask, { take: onEvent }: LiveText) {
    const { log } = this.#deps;
    const sessions = this.#deps.sessions();
    const { taskId, startedAt, promptSha256 } = task;
    const prompt = Buffer.from(await log.getBlob(promptSha256)).toString("utf8");
    const found = await findSession(log, taskId);
    if (found !== null) {
      // It worked until its last fact; the time in which nobody was at it does not count.
      const ranMs = Math.max(0, found.updatedAt - (startedAt ?? found.updatedAt));
      const session = await sessions.resume(taskId, { ...sessions.handedOf(parentId), onEvent });
      return { session, prompt, ranMs };
    }
    const { cwd, settings, lineage, systemPrompt } = this.#views(parentId) ?? gone();
    const depth = lineage.depth + 1;
    const mayDelegate = task.delegates && depth < MAX_DEPTH;
    const { toolPolicy } = settings;
    const session = await sessions.start({
      ...sessions.handedOf(parentId),
      onEvent,
      sessionId: taskId,
      cwd,
      ...(lineage.ownSystemPrompt ? { systemPrompt } : {}),
      settings: {
        ...settings,
        ...(task.model === null ? {} : { model: task.model, script: null }),
        toolPolicy: mayDelegate
          ? toolPolicy
          : { ...toolPolicy, deny: [...new Set([...toolPolicy.deny, "task"])] },
      },
      lineage: {
        origin: "subagent",
        sessionKey: `task:${taskId}`,
        parentSessionId: parentId,
        parentSessionKey: lineage.sessionKey,
        agentId: lineage.agentId,
        depth,
      },
    });
    return { session, prompt, ranMs: 0 };
  }

  /** A subagent whose task is over does nothing more: its calls get their ends, its commands are ended. */
  async #tidy(parentId: string, { taskId }: StoredTask): Promise<void> {
    const { log, logger } = this.#deps;
    if (this.#running.has(taskId) || (await findSession(log, taskId))?.status !== "running") return;
    const sessions = this.#deps.sessions();
    try {
      const handed = sessions.handedOf(parentId);
      await sessions.tidy(taskId, "the task has ended", handed);
    } catch (error) {
      const code = codeForLog(error);
      logger.warn({ taskId, code }, "what a subagent left behind could not be settled");
    }
  }

  async #roles(cwd: string): Promise<ReadonlyMap<string, Role>> {
    const { home, isTrusted, logger } = this.#deps;
    const { roles, warnings } = await loadRoles({ home, cwd, isTrusted: await isTrusted(cwd) });
    for (const warning of warnings) logger.warn({}, warning);
    return roles;
  }

  #views(sessionId: string): SessionStream["views"]["session"] | null {
    return this.#deps.sessions().streamOf(sessionId)?.views.session ?? null;
  }
}

function gone(): never {
  throw new LemonError("stream_closed", "the session of the task is not open any more");
}
