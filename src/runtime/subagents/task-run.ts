/**
 * The work of one task in this process: it stands in line as soon as it is made, opens the subagent's session in its turn,
 * and records in the parent's stream how it ended. It decides nothing that the log does not hold, so another process can
 * take it up. docs/reference/subagents.md, "Life of a task"
 */
import { StreamClosedError } from "../../actors/index.ts";
import { codeForLog, type LemonError } from "../../errors.ts";
import type { Decision, FactType } from "../../events/index.ts";
import type { TaskEnd, StoredTask } from "../../projections/index.ts";
import { promiseChild, type Child } from "../../supervision/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { Lane, Slot } from "../lane.ts";
import type { Session } from "../session.ts";
import type { Outcome } from "../session-types.ts";
import { TaskEndedError } from "./errors.ts";
import type { HeldSlots } from "./held-slots.ts";

/** Milliseconds between two tries to record an end in a log that can't be written. */
const RETRY_MS = 1_000;

/** A task and whose it is. */
export interface TaskToRun {
  readonly parentId: string;
  readonly task: StoredTask;
}

/** The stream of the parent, where it is led here. */
interface ParentStream {
  readonly closed: LemonError | null;
  submit(type: FactType, data: unknown): Promise<unknown>;
}

/** What the work needs of its runtime. */
export interface TaskRunParts {
  readonly lane: Lane;
  readonly slots: HeldSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `null` when the parent is not open here (any more). */
  readonly parent: () => ParentStream | null;
  /** Opens the subagent's session, a new one or as it was left. */
  readonly open: () => Promise<{
    readonly session: Session;
    readonly prompt: string;
    readonly ranMs: number;
  }>;
  /** Whether its session is in the log. */
  readonly wasOpened: () => Promise<boolean>;
  /** What the subagent said last. */
  readonly lastText: () => string | null;
}

/** Why it has to stop: it was ended by others, or its parent is not here any more. */
type Stop = "ended" | "left";

/** One task at work. */
export class TaskRun {
  readonly parentId: string;
  readonly taskId: string;
  /** Resolves once its end is recorded; never where its parent is left. */
  readonly ended: Promise<void>;
  readonly #task: StoredTask;
  readonly #parts: TaskRunParts;
  readonly #stop = new AbortController();
  /** Its place in line; `null` once it was told to stop before its turn came. */
  readonly #place: Promise<Slot | null>;
  #why: Stop = "left";
  #tellEnd: () => void = () => undefined;

  constructor({ parentId, task }: TaskToRun, parts: TaskRunParts) {
    this.parentId = parentId;
    this.taskId = task.taskId;
    this.#task = task;
    this.#parts = parts;
    this.ended = new Promise((resolve) => (this.#tellEnd = resolve));
    this.#place = parts.lane.acquire(this.#stop.signal).catch(() => null);
  }

  /** The supervised child. */
  start(): Child {
    return promiseChild(async (signal) => {
      const stop = (): void => this.#stopFor("left");
      signal.addEventListener("abort", stop, { once: true });
      await this.#run();
    });
  }

  /** Its end is recorded, by whomever. */
  end(): void {
    this.#tellEnd();
    this.#stopFor("ended");
  }

  /** Its parent is given back as it is: so is the subagent. */
  leave(): void {
    this.#stopFor("left");
  }

  /** Nobody will start it: its place is free for others. */
  async abandon(): Promise<void> {
    this.#stopFor("left");
    (await this.#place)?.release();
  }

  /** Records an end, unless there is one. */
  async record({ type, data }: Decision<TaskEnd>): Promise<void> {
    await this.#submit(type, data);
  }

  /** What the subagent said last. */
  get partialText(): string | null {
    return this.#parts.lastText();
  }

  async #run(): Promise<void> {
    const slot = await this.#place;
    if (slot === null) return;
    const release = this.#parts.slots.hold(this.taskId, slot);
    try {
      if (await this.#begin()) await this.#work();
    } finally {
      release();
    }
  }

  /** @returns whether the task has started and has no end */
  async #begin(): Promise<boolean> {
    if (this.#stop.signal.aborted) return false;
    return this.#task.status !== "queued" || this.#submit("subagent.started", { taskId: this.taskId });
  }

  /** @returns whether it was recorded: the parent takes no start twice and one end, and none where it is not open any more */
  async #submit(type: FactType, data: unknown): Promise<boolean> {
    for (;;) {
      const stream = this.#parts.parent();
      if (stream === null || stream.closed !== null) return false;
      try {
        await stream.submit(type, data);
        return true;
      } catch (error) {
        if (error instanceof TaskEndedError || error instanceof StreamClosedError) return false;
        this.#warn(error, "what became of a task could not be recorded yet");
        await this.#pause();
        if (this.#stop.signal.aborted) return false;
      }
    }
  }

  async #work(): Promise<void> {
    const { taskId } = this;
    const isAgain = await this.#parts.wasOpened();
    let opened: Awaited<ReturnType<TaskRunParts["open"]>>;
    try {
      opened = await this.#parts.open();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#warn(error, "the session of a subagent could not be opened");
      const data = { taskId, partialText: null };
      // What was begun and can't be taken up again is lost.
      return this.record(isAgain ? { type: "subagent.lost", data } : failed(taskId, "start_failed", null));
    }
    const { session } = opened;
    const end = await this.#endOf(opened);
    if (end !== null) await this.record(end);
    // Ended or not: what it still does has nobody who waits for it.
    if (end === null && this.#why === "left") await this.#quietly(session.release());
    else await this.#quietly(session.shutdown("the task has ended"));
  }

  /** `null`: it was stopped. */
  async #endOf({
    session,
    prompt,
    ranMs,
  }: Awaited<ReturnType<TaskRunParts["open"]>>): Promise<Decision<TaskEnd> | null> {
    const { clock } = this.#parts;
    const { taskId } = this;
    const { signal } = this.#stop;
    let cancel = (): void => undefined;
    const stopped = new Promise<null>((resolve) => {
      signal.addEventListener("abort", () => resolve(null), { once: true });
      if (signal.aborted) resolve(null);
    });
    const expired = new Promise<Decision<TaskEnd>>((resolve) => {
      const leftMs = Math.max(0, this.#task.timeoutMs - ranMs);
      cancel = clock.setTimer(leftMs, () => {
        resolve({ type: "subagent.timed_out", data: { taskId, partialText: this.partialText } });
      });
    });
    const worked = outcomeOf(session, prompt).then(
      (outcome) => endFrom(taskId, outcome, this.partialText),
      (error: unknown) => {
        this.#warn(error, "a subagent failed");
        return failed(taskId, "session_crashed", this.partialText);
      },
    );
    try {
      return await Promise.race([stopped, worked, expired]);
    } finally {
      cancel();
    }
  }

  #stopFor(why: Stop): void {
    if (this.#stop.signal.aborted) return;
    this.#why = why;
    this.#stop.abort(new Error(`the task has ${why}`));
  }

  async #quietly(ending: Promise<unknown>): Promise<void> {
    try {
      await ending;
    } catch (error) {
      this.#warn(error, "the session of a subagent was closed without recording its end");
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#parts.clock.setTimer(RETRY_MS, resolve));
  }

  #warn(error: unknown, what: string): void {
    const code = codeForLog(error);
    this.#parts.logger.warn({ taskId: this.taskId, code }, what);
  }
}

/** The end of the run that the prompt begins, or of the one that it has begun already. */
async function outcomeOf(session: Session, prompt: string): Promise<Outcome> {
  return (await session.outcome()) ?? session.prompt(prompt);
}

/** A completed task has an answer that ended by itself and says something. */
function endFrom(
  taskId: string,
  { status, stopReason, text }: Outcome,
  partialText: string | null,
): Decision<TaskEnd> {
  if (status === "aborted") {
    const data = { taskId, cause: "subagent_aborted" as const, callId: null, reason: null };
    return { type: "subagent.cancelled", data };
  }
  if (status === "failed" || stopReason !== "end_turn") return failed(taskId, "model_failed", partialText);
  if (text.trim() === "") return failed(taskId, "empty_answer", null);
  return { type: "subagent.completed", data: { taskId, text } };
}

function failed(
  taskId: string,
  failure: StoredTask["failure"] & string,
  partialText: string | null,
): Decision<"subagent.failed"> {
  return { type: "subagent.failed", data: { taskId, class: failure, partialText } };
}
