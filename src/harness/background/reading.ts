/** Reads background runs for whoever asks; appends nothing. docs/reference/background-runs.md, "Reading" */
import { LemonError } from "../../errors.ts";
import { upcast, type FactOf, type Usage } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import {
  approvalsIn,
  backgroundRunStatuses,
  isFinalRun,
  project,
  sessionView,
  type BackgroundRunStatus,
  type BackgroundRunView,
  type SessionView,
} from "../../projections/index.ts";
import { sessionStreamName } from "../session-id.ts";
import { changedFiles, type ChangedFiles } from "./changed-files.ts";
import { BACKGROUND_QUEUE, isRunId, RUN_STREAM_PREFIX, RunNotFoundError } from "./id.ts";
import { readPresentRun, readRun, type PresentRun } from "./present.ts";
import { errorCodeOf, summaryOf, type BackgroundErrorCode, type BackgroundRunSummary } from "./summary.ts";

/** Runs that ended so long ago are not listed: 30 days, in milliseconds. */
const LISTED_MS = 30 * 24 * 60 * 60 * 1_000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Which runs are listed. */
export interface BackgroundRunFilter {
  readonly status?: BackgroundRunStatus;
  /** Only those that were asked for under this key. */
  readonly parentSessionKey?: string;
  /** 1 to 1,000; default 100. */
  readonly limit?: number;
}

/** Who may see a run. */
export interface BackgroundRunScope {
  /** Only the runs that were asked for under this key are there for the asker. */
  readonly parentSessionKey?: string | undefined;
}

/** Some runs, and how many there are. */
export interface BackgroundRunList {
  readonly runs: readonly BackgroundRunSummary[];
  readonly total: number;
}

/** What a run came to. */
export interface BackgroundRunResult {
  readonly id: string;
  readonly status: BackgroundRunStatus;
  /** There is a `text`: the run completed. */
  readonly ready: boolean;
  readonly text: string | null;
  /** What the model had written when the run ended otherwise. */
  readonly partialText: string | null;
  readonly errorCode: BackgroundErrorCode | null;
  readonly filesChanged: ChangedFiles["files"];
  readonly coverage: ChangedFiles["coverage"];
  readonly usage: Usage;
}

/** How a run stands now, its elapsed milliseconds included: the rules of its lifecycle, which are another room's. */
export type Presently = (run: PresentRun) => Promise<{
  readonly view: BackgroundRunView;
  readonly elapsedMs: number;
}>;

/** What runs are read from. */
export interface RunReaderDeps {
  readonly log: EventLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly presently: Presently;
  /** The sessions in which a run works: its own, and those of its subagents. */
  readonly sessionsOf: (id: string) => Promise<readonly string[]>;
}

/** Reads runs. */
export class RunReader {
  readonly #deps: RunReaderDeps;

  constructor(deps: RunReaderDeps) {
    this.#deps = deps;
  }

  /** The newest queued first. @throws LemonError `LEMON_INVALID_STATUS`, `LEMON_INVALID_LIMIT` */
  async list(filter: BackgroundRunFilter = {}): Promise<BackgroundRunList> {
    checkRunFilter(filter);
    const { limit = DEFAULT_LIMIT } = filter;
    const { log, presently, now } = this.#deps;
    const jobs = new Map((await log.jobs(BACKGROUND_QUEUE)).map((job) => [job.key, job]));
    const found: { readonly run: PresentRun; readonly elapsedMs: number; readonly position: number }[] = [];
    for (const { stream } of await log.streams(RUN_STREAM_PREFIX)) {
      const id = stream.slice(RUN_STREAM_PREFIX.length);
      const view = await readRun(log, id);
      if (view.queued === null || !isInScope(view, filter)) continue;
      const run = { id, view, job: jobs.get(id) ?? null };
      const { view: present, elapsedMs } = await presently(run);
      if (filter.status !== undefined && present.status !== filter.status) continue;
      if (isFinalRun(present) && (present.endedAt ?? 0) < now() - LISTED_MS) continue;
      const position = await positionOf(log, stream);
      found.push({ run: { ...run, view: present }, elapsedMs, position });
    }
    found.sort((a, b) => b.position - a.position);
    const runs: BackgroundRunSummary[] = [];
    for (const { run, elapsedMs } of found.slice(0, limit)) runs.push(await this.#summary(run, elapsedMs));
    return { runs, total: found.length };
  }

  /** @throws RunNotFoundError */
  async status(id: string, scope: BackgroundRunScope = {}): Promise<BackgroundRunSummary> {
    const run = await this.#require(id, scope);
    const { view, elapsedMs } = await this.#deps.presently(run);
    return this.#summary({ ...run, view }, elapsedMs);
  }

  /** @throws RunNotFoundError */
  async result(id: string, scope: BackgroundRunScope = {}): Promise<BackgroundRunResult> {
    const { log, presently, sessionsOf } = this.#deps;
    const run = await this.#require(id, scope);
    const { view } = await presently(run);
    const ready = view.status === "completed";
    const work = await workOf(log, id);
    const words = isFinalRun(view) ? await lastWords(log, id, work.to) : null;
    const { files, coverage } = await changedFiles(log, await sessionsOf(id), work.before);
    const partialText = ready || !isFinalRun(view) ? null : (view.partialText ?? words);
    return {
      id,
      status: view.status,
      ready,
      text: ready ? words : null,
      partialText: partialText === "" ? null : partialText,
      errorCode: errorCodeOf(view),
      filesChanged: files,
      coverage,
      usage: (await readSession(log, id, work.to)).usage,
    };
  }

  /** The run, if the asker may see it. @throws RunNotFoundError */
  async #require(id: string, scope: BackgroundRunScope): Promise<PresentRun> {
    if (!isRunId(id)) throw new RunNotFoundError();
    const run = await readPresentRun(this.#deps.log, id);
    if (run.view.queued === null || !isInScope(run.view, scope)) throw new RunNotFoundError();
    return run;
  }

  async #summary({ id, view }: PresentRun, elapsedMs: number): Promise<BackgroundRunSummary> {
    const { log, sessionsOf } = this.#deps;
    const work = await workOf(log, id);
    const { files } = await changedFiles(log, await sessionsOf(id), work.before);
    const isWaiting =
      view.status === "running" && approvalsIn(await readSession(log, id, work.to)).length > 0;
    return summaryOf(id, view, { elapsedMs, waitingForApproval: isWaiting, filesChangedCount: files.length });
  }
}

/** Whether a run is there for whoever asks. */
export function isInScope(view: BackgroundRunView, { parentSessionKey }: BackgroundRunScope): boolean {
  return parentSessionKey === undefined || view.queued?.parentSessionKey === parentSessionKey;
}

/** @throws LemonError `LEMON_INVALID_STATUS`, `LEMON_INVALID_LIMIT` */
export function checkRunFilter({ status, limit = DEFAULT_LIMIT }: BackgroundRunFilter): void {
  assertStatus(status);
  assertLimit(limit);
}

function assertStatus(status: unknown): void {
  if (status === undefined || (backgroundRunStatuses as readonly unknown[]).includes(status)) return;
  const expected = backgroundRunStatuses.join(", ");
  throw new LemonError("invalid_status", `status: expected one of ${expected}`, {
    field: "status",
    expected,
  });
}

function assertLimit(limit: unknown): void {
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return;
  const expected = `a whole number from 1 to ${MAX_LIMIT}`;
  throw new LemonError("invalid_limit", `limit: expected ${expected}`, { field: "limit", expected });
}

async function positionOf(log: EventLog, stream: string): Promise<number> {
  for await (const { position } of log.read(stream, { to: 1 })) return position;
  return 0;
}

/** Where the work of a run ends in its session. */
interface Work {
  /** The last version that may be of it. */
  readonly to: number;
  /** The position of the log that it lies before. */
  readonly before: number;
}

/** A run is one prompt. Its session is one as any other, and whoever asks it more later changes nothing of the run. */
async function workOf(log: EventLog, id: string): Promise<Work> {
  let prompts = 0;
  for await (const { version, position } of log.read(sessionStreamName(id), {
    types: ["prompt.submitted"],
  })) {
    prompts += 1;
    if (prompts === 2) return { to: version - 1, before: position };
  }
  return { to: Number.MAX_SAFE_INTEGER, before: Number.POSITIVE_INFINITY };
}

/** The last answer of the model, without its reasoning; `null` when there was none. */
async function lastWords(log: EventLog, id: string, to: number): Promise<string | null> {
  const types = ["model.responded"];
  for await (const fact of log.read(sessionStreamName(id), { backwards: true, to, types })) {
    const { content } = (upcast(fact) as FactOf<"model.responded">).data;
    return content.map((part) => (part.type === "text" ? part.text : "")).join("");
  }
  return null;
}

async function readSession(log: EventLog, id: string, to: number): Promise<SessionView> {
  let view = sessionView.initial;
  const types = Object.keys(sessionView.types);
  for await (const fact of log.read(sessionStreamName(id), { to, types }))
    view = project(sessionView, view, fact);
  return view;
}
