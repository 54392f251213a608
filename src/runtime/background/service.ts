/** `runtime.background`: runs that outlive whoever asked for them. docs/reference/background-runs.md */
import { stat } from "node:fs/promises";
import path from "node:path";
import { decideRun, ranMs } from "../../actors/index.ts";
import { kindOf } from "../../errors.ts";
import { upcast, type FactData, type FactOf } from "../../events/index.ts";
import {
  isInScope,
  isRunId,
  presentlyBy,
  RunNotFoundError,
  RunReader,
  sessionStreamName,
  type BackgroundRunFilter,
  type BackgroundRunList,
  type BackgroundRunResult,
  type BackgroundRunScope,
  type BackgroundRunSummary,
} from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Clock, Ids } from "../../ports.ts";
import type { BackgroundRunStatus } from "../../projections/index.ts";
import type { Masker } from "../../secrets/index.ts";
import { EmptyPromptError, InvalidOptionsError, InvalidPromptError } from "../errors.ts";
import type { SessionFactory } from "../session-factory.ts";
import type { Sessions } from "../sessions.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { checkOptions, type BackgroundRunOptions } from "./options.ts";
import type { RunLog } from "./run-log.ts";

/** Bytes of a prompt: 256 KiB. */
const MAX_PROMPT_BYTES = 262_144;
/** Runs that may wait in a log. */
const MAX_QUEUED = 1_000;
/** Characters of the reason for a cancel. */
const MAX_REASON_CHARS = 500;

/** Milliseconds that an answer is waited for, and between two looks for it. */
const ANSWER_MS = 10_000;
const ANSWER_LOOK_MS = 100;

/** Milliseconds between two looks whether there is anything to do any more. */
const IDLE_LOOK_MS = 1_000;

/** What the service needs of its runtime. */
export interface BackgroundDeps {
  readonly log: EventLog;
  readonly runs: RunLog;
  readonly dispatcher: Dispatcher;
  readonly factory: Pick<SessionFactory, "newSettings" | "changedSettings" | "isKnownElsewhere">;
  readonly sessions: Pick<Sessions, "get">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mask: Masker;
  readonly cwd: string;
  /** The key of this runtime's lease: runs that only this process may do are bound to it. */
  readonly leaseKey: string;
  /** Which process does a run that does not say. */
  readonly worker: "inProcess" | "detached";
  /** Whether another process could do one: the log is on disk, and no extension is an object of the program. */
  readonly canDetach: boolean;
  readonly onRestart: "resume" | "lost";
  readonly sessionsOf: (id: string) => Promise<readonly string[]>;
}

/** A run that was put in line. */
export interface QueuedRun {
  readonly id: string;
  readonly status: "queued";
}

/** What a cancel came to: `cancelled` is false for a run that was over already. */
export interface CancelledRun {
  readonly id: string;
  readonly cancelled: boolean;
  readonly status: BackgroundRunStatus;
}

/** Background runs of a log, those of other processes included. */
export class BackgroundRuns {
  readonly #deps: BackgroundDeps;
  readonly #reader: RunReader;

  /** @internal Comes from `runtime.background`. */
  constructor(deps: BackgroundDeps) {
    this.#deps = deps;
    const { log, clock, sessionsOf } = deps;
    const now = (): number => clock.now();
    this.#reader = new RunReader({
      log,
      now,
      sessionsOf,
      presently: presentlyBy({ decideRun, ranMs }, log, now),
    });
  }

  /**
   * Puts a run in line; it does not wait for it to begin.
   *
   * @param prompt - what to do: up to 256 KiB, trimmed
   * @throws EmptyPromptError, InvalidPromptError, InvalidOptionsError, NoModelError, InvalidConfigError;
   * JobQueueFullError when 1,000 wait
   */
  async start(prompt: string, options: BackgroundRunOptions = {}): Promise<QueuedRun> {
    const { ids, runs, log, mask, dispatcher, leaseKey } = this.#deps;
    const text = checkedPrompt(prompt);
    const queued = await this.#queuedOf(checkOptions(options));
    const promptSha256 = await log.putBlob(mask.bytes(Buffer.from(text)));
    const id = ids("bg");
    const bound = queued.worker === "inProcess" ? leaseKey : null;
    dispatcher.follow();
    await runs.enqueue(id, { id, promptSha256, ...queued }, { bound, limit: MAX_QUEUED });
    if (bound === null) await dispatcher.ensureWorker();
    else void dispatcher.look();
    return { id, status: "queued" };
  }

  /** The newest queued first; runs that ended 30 days ago are left out. @throws LemonError `LEMON_INVALID_STATUS`, `LEMON_INVALID_LIMIT` */
  async list(filter: BackgroundRunFilter = {}): Promise<BackgroundRunList> {
    await this.#deps.dispatcher.look();
    return this.#reader.list(filter);
  }

  /** How a run is, now. @throws RunNotFoundError */
  async status(id: string, scope: BackgroundRunScope = {}): Promise<BackgroundRunSummary> {
    await this.#deps.dispatcher.look();
    return this.#reader.status(id, scope);
  }

  /** What a run came to so far. @throws RunNotFoundError */
  async result(id: string, scope: BackgroundRunScope = {}): Promise<BackgroundRunResult> {
    await this.#deps.dispatcher.look();
    return this.#reader.result(id, scope);
  }

  /**
   * Ends a run. That is recorded first; what it does is stopped within seconds, wherever that is.
   *
   * @param reason - kept with it, up to 500 characters, and shown nowhere
   * @returns at once; `cancelled` is false for a run that had ended, which is no error
   * @throws RunNotFoundError
   */
  async cancel(id: string, reason?: string, scope: BackgroundRunScope = {}): Promise<CancelledRun> {
    const { runs, clock, dispatcher } = this.#deps;
    await dispatcher.look();
    const view = isRunId(id) ? await runs.viewOf(id) : null;
    if (view === null || view.queued === null || !isInScope(view, scope)) throw new RunNotFoundError();
    // Masked before it is cut, or a secret that is cut in two would be known by nobody.
    const why = reason === undefined ? null : firstCharacters(this.#deps.mask.json(reason));
    const decision = await runs.record(id, { type: "cancelled", reason: why, now: clock.now() });
    dispatcher.owned(id)?.recorded();
    void dispatcher.look();
    const { status } = decision === null ? await runs.viewOf(id) : ({ status: "cancelled" } as const);
    return { id, cancelled: decision !== null, status };
  }

  /**
   * Answers a call of a run that waits for a person, wherever the run is worked on. @internal
   *
   * @returns how the call was answered; `null` when nobody passed it on within 10 seconds: whoever takes the run will
   */
  async answer(
    id: string,
    answer: FactData<"background_run.approval_answered">,
  ): Promise<"allow" | "deny" | null> {
    const { log, runs, clock, dispatcher } = this.#deps;
    await runs.note(id, "background_run.approval_answered", answer);
    await dispatcher.owned(id)?.answer(answer);
    await dispatcher.look();
    for (let waited = 0; ; waited += ANSWER_LOOK_MS) {
      const verdict = await verdictOn(log, id, answer.callId);
      if (verdict !== null || waited >= ANSWER_MS) return verdict;
      await new Promise<void>((resolve) => clock.setTimer(ANSWER_LOOK_MS, resolve));
    }
  }

  /** Resolves when there was nothing to work on for so many milliseconds, or the signal fires. @internal */
  untilIdle(ms: number, signal: AbortSignal): Promise<void> {
    const { clock, dispatcher } = this.#deps;
    return new Promise((resolve) => {
      let cancel = (): void => undefined;
      const look = (): void => {
        const left = ms - dispatcher.idleMs;
        if (left <= 0 || signal.aborted) resolve();
        else cancel = clock.setTimer(Math.min(left, IDLE_LOOK_MS), look);
      };
      const onAbort = (): void => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      look();
    });
  }

  async #queuedOf(
    options: ReturnType<typeof checkOptions>,
  ): Promise<Omit<FactData<"background_run.queued">, "id" | "promptSha256">> {
    const { sessions, factory, cwd: here, onRestart } = this.#deps;
    const { parentSessionId, sessionKey, timeoutMs } = options;
    const parent = parentSessionId === undefined ? null : await sessions.get(parentSessionId);
    const inherited = parent?.inheritance() ?? null;
    const cwd = path.resolve(here, options.cwd ?? inherited?.cwd ?? ".");
    await assertFolder(cwd);
    const base = inherited === null ? null : { ...inherited.settings, disabled: [], enabledOnly: null };
    const settings =
      base === null ? await factory.newSettings(cwd, options) : await factory.changedSettings(base, options);
    const portable = this.#deps.canDetach && factory.isKnownElsewhere(settings);
    return {
      cwd,
      systemPrompt: options.systemPrompt ?? inherited?.systemPrompt ?? null,
      settings,
      parentSessionId: parentSessionId ?? null,
      parentSessionKey: sessionKey ?? inherited?.sessionKey ?? null,
      agentId: inherited?.agentId ?? null,
      timeoutMs,
      onRestart: options.onRestart ?? onRestart,
      worker: this.#workerOf(options, portable),
      portable,
    };
  }

  #workerOf({ worker }: BackgroundRunOptions, portable: boolean): "inProcess" | "detached" {
    if (worker === "detached" && !portable)
      throw new InvalidOptionsError(
        "worker",
        "inProcess, since another process can't do it: that needs a log on disk, a model known by name or a script, and extensions given by path",
        worker,
      );
    return worker ?? (portable ? this.#deps.worker : "inProcess");
  }
}

async function verdictOn(log: EventLog, id: string, callId: string): Promise<"allow" | "deny" | null> {
  const types = ["approval.resolved"];
  for await (const fact of log.read(sessionStreamName(id), { types, backwards: true })) {
    const { data } = upcast(fact) as FactOf<"approval.resolved">;
    if (data.callId === callId) return data.verdict;
  }
  return null;
}

function firstCharacters(reason: string): string {
  return [...reason].slice(0, MAX_REASON_CHARS).join("");
}

function checkedPrompt(prompt: unknown): string {
  if (typeof prompt !== "string") throw new InvalidPromptError(kindOf(prompt), "prompt", "text");
  const text = prompt.trim();
  if (text === "") throw new EmptyPromptError();
  if (Buffer.byteLength(text) > MAX_PROMPT_BYTES)
    throw new InvalidPromptError("a longer one", "prompt", `text of up to ${MAX_PROMPT_BYTES} bytes`);
  return text;
}

async function assertFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => null);
  if (found?.isDirectory() !== true)
    throw new InvalidOptionsError("cwd", "a folder", found === null ? undefined : cwd);
}
