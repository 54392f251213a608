/** Brings files back, each step of it recorded before it is done. docs/reference/checkpoints.md, "How a restore goes" */
import { messageOf } from "../../errors.ts";
import { byCodePoint, type FactData } from "../../events/index.ts";
import type { PathContent } from "../../projections/index.ts";
import {
  captureFiles,
  inFileOrder,
  stageOf,
  targetOf,
  type FileCalls,
  type Observed,
} from "../../workspace/index.ts";
import { carryOut, type CarriedOut, type PlannedPath } from "./carry-out.ts";
import { CheckpointError } from "./errors.ts";
import { leftBehind, missingAbove } from "./folders.ts";
import { lookAt, type Judged } from "./look.ts";
import type { RestoreOptions, RestoreParts } from "./restore-options.ts";
import { resultOf, statusOf } from "./results.ts";
import { selected, type Source } from "./source.ts";
import type { PathResult, RestoreResult } from "./types.ts";
import type { Recorder } from "./writing.ts";

/** What would become of each path. Writes nothing. */
export async function previewRestore(
  source: Source,
  { paths, force = false }: RestoreOptions,
  parts: Pick<RestoreParts, "log" | "files">,
): Promise<RestoreResult> {
  const targets = selected(source, paths);
  const results: PathResult[] = [];
  for await (const judged of lookAt(source, { targets, isSelection: paths !== undefined, force }, parts))
    results.push(settledOf(judged) ?? restored(judged.path));
  return resultOf({ ...idsOf(source), preRestoreCheckpointId: null }, results);
}

/**
 * Restores files. Other calls of this process wait for them meanwhile.
 *
 * @throws CheckpointError `capture_failed`, `aborted`: then nothing was touched; `invalid_paths`, `path_not_in_checkpoint`
 */
export async function restoreFiles(
  source: Source,
  options: RestoreOptions,
  recorder: Recorder,
  parts: RestoreParts,
): Promise<RestoreResult> {
  const targets = selected(source, options.paths);
  const locks = await Promise.all(targets.map(({ path }) => lockOf(path)));
  return inFileOrder(locks.toSorted(byCodePoint), () =>
    new Restore(source, options, recorder, parts).run(targets),
  );
}

/** The name under which tools take a file's turn. */
async function lockOf(path: string): Promise<string> {
  try {
    return await targetOf(path);
  } catch {
    return path;
  }
}

type Started = FactData<"checkpoint.restore_started">;

class Restore {
  readonly #source: Source;
  readonly #options: RestoreOptions;
  readonly #recorder: Recorder;
  readonly #parts: RestoreParts;

  constructor(source: Source, options: RestoreOptions, recorder: Recorder, parts: RestoreParts) {
    this.#source = source;
    this.#options = options;
    this.#recorder = recorder;
    this.#parts = parts;
  }

  async run(targets: Source["targets"]): Promise<RestoreResult> {
    const { paths, force = false } = this.#options;
    const order: string[] = [];
    const settled: PathResult[] = [];
    const plan: PlannedPath[] = [];
    const look = { targets, isSelection: paths !== undefined, force };
    for await (const judged of lookAt(this.#source, look, this.#parts)) {
      order.push(judged.path);
      const result = settledOf(judged);
      if (result === null) plan.push(this.#planned(judged));
      else settled.push(result);
    }
    if (plan.length === 0) return this.#nothingToDo(settled);
    const preRestoreCheckpointId = await this.#keep(plan);
    return this.#carryOut({ plan, settled, order, preRestoreCheckpointId });
  }

  #planned({ path, target, current, verdict }: Judged): PlannedPath {
    if (target.is === "unknown" || verdict.is !== "restore")
      throw new Error("only what is to be restored is planned");
    const { action } = verdict;
    const hasBytes = action === "overwrite" || action === "recreate";
    const stage = hasBytes ? stageOf(path, this.#parts.ids("stage").slice(-8)) : null;
    const owner = current.kind === "file" ? { uid: current.uid, gid: current.gid } : null;
    return { path, action, target, current: contentOf(current), owner, stage };
  }

  async #nothingToDo(settled: readonly PathResult[]): Promise<RestoreResult> {
    const { checkpointId, at } = this.#source;
    await this.#recorder.write({
      type: "checkpoint.restored",
      data: {
        restoreId: null,
        checkpointId,
        at,
        preRestoreCheckpointId: null,
        status: statusOf(settled),
        results: [...settled],
        written: [],
        createdDirs: [],
        removedDirs: [],
        callId: this.#recorder.callId,
      },
    });
    return resultOf({ ...idsOf(this.#source), preRestoreCheckpointId: null }, settled);
  }

  /** A checkpoint of what is about to be touched. @throws CheckpointError `capture_failed`, `aborted` */
  async #keep(plan: readonly PlannedPath[]): Promise<string> {
    const { log, files, ids } = this.#parts;
    const { cwd } = this.#source.place;
    if (this.#options.signal?.aborted === true)
      throw new CheckpointError("aborted", "the restore was aborted before anything was touched");
    const checkpointId = ids("chk");
    try {
      const kept = await captureFiles(
        plan.map(({ path }) => path),
        { cwd, files, putBlob: (bytes) => log.putBlob(bytes) },
      );
      await this.#recorder.write({
        type: "checkpoint.created",
        data: {
          checkpointId,
          kind: "filesystem",
          origin: "pre_restore",
          tool: null,
          callId: this.#recorder.callId,
          runId: null,
          cwd,
          point: false,
          files: kept,
          content: null,
          contentSha256: null,
          metadata: {},
          bytes: kept.reduce((sum, { size }) => sum + (size ?? 0), 0),
        },
      });
    } catch (error) {
      throw new CheckpointError(
        "capture_failed",
        `the files could not be kept before they are restored, so none was touched: ${messageOf(error)}`,
        { cause: error },
      );
    }
    return checkpointId;
  }

  async #carryOut({ plan, settled, order, preRestoreCheckpointId }: Prepared): Promise<RestoreResult> {
    const { log, files, ids, running } = this.#parts;
    const { checkpointId, at, place } = this.#source;
    const { callId } = this.#recorder;
    const restoreId = ids("restore");
    running.add(restoreId);
    try {
      const removedDirs = this.#leftBehind(plan);
      const started: Started = {
        restoreId,
        checkpointId,
        at,
        preRestoreCheckpointId,
        force: this.#options.force ?? false,
        callId,
        cwd: place.cwd,
        plan: plan.map(recordedOf),
        settled: [...settled],
        createdDirs: await foldersToMake(plan, files),
        removedDirs,
      };
      await this.#recorder.write({ type: "checkpoint.restore_started", data: started });
      const getBlob = (sha256: string): Promise<Uint8Array> => log.getBlob(sha256);
      const { signal } = this.#options;
      const done = await carryOut(plan, removedDirs, { cwd: place.cwd, files, getBlob, signal });
      const outcomes = new Map([...settled, ...done.results].map((result) => [result.path, result]));
      const results = order.flatMap((path) => outcomes.get(path) ?? []);
      await this.#recorder.write(endOf(started, { ...done, results }, callId));
      return resultOf({ ...idsOf(this.#source), preRestoreCheckpointId }, results);
    } finally {
      running.delete(restoreId);
    }
  }

  #leftBehind(plan: readonly PlannedPath[]): string[] {
    const removed = plan.filter(({ action }) => action === "remove").map(({ path }) => path);
    const all = this.#source.isPoint && this.#options.paths === undefined;
    return leftBehind(this.#source.madeDirs, removed, { cwd: this.#source.place.cwd, all });
  }
}

interface Prepared {
  readonly plan: readonly PlannedPath[];
  readonly settled: readonly PathResult[];
  /** All paths as the checkpoint has them. */
  readonly order: readonly string[];
  readonly preRestoreCheckpointId: string;
}

/** The fact that ends a restore. What was restored is what calls and restores after it have to reckon with. */
export function endOf(
  started: Started,
  done: CarriedOut,
  callId: string | null,
): { readonly type: "checkpoint.restored"; readonly data: FactData<"checkpoint.restored"> } {
  const { restoreId, checkpointId, at, preRestoreCheckpointId } = started;
  const { results } = done;
  const isRestored = new Set(results.filter(({ outcome }) => outcome === "restored").map(({ path }) => path));
  return {
    type: "checkpoint.restored",
    data: {
      restoreId,
      checkpointId,
      at,
      preRestoreCheckpointId,
      status: statusOf(results),
      results: [...results],
      written: started.plan
        .filter(({ path }) => isRestored.has(path))
        .map(({ path, currentSha256, currentMode, targetSha256, targetMode }) => ({
          path,
          beforeSha256: currentSha256,
          beforeMode: currentMode,
          afterSha256: targetSha256,
          afterMode: targetMode,
        })),
      createdDirs: [...done.createdDirs],
      removedDirs: [...done.removedDirs],
      callId,
    },
  };
}

function recordedOf({ path, action, target, current, stage }: PlannedPath): Started["plan"][number] {
  return {
    path,
    action,
    targetSha256: target.is === "file" ? target.sha256 : null,
    targetMode: target.is === "file" ? target.mode : null,
    currentSha256: current.is === "file" ? current.sha256 : null,
    currentMode: current.is === "file" ? current.mode : null,
    stage,
  };
}

async function foldersToMake(plan: readonly PlannedPath[], files: FileCalls): Promise<string[]> {
  const missing = new Set<string>();
  for (const { path, target } of plan) {
    if (target.is !== "file") continue;
    for (const folder of await missingAbove(path, files)) missing.add(folder);
  }
  return [...missing];
}

/** Only what is a file, or not there, is ever planned. */
function contentOf(current: Observed): Exclude<PathContent, { readonly is: "unknown" }> {
  if (current.kind !== "file") return { is: "absent" };
  return { is: "file", sha256: current.sha256, mode: current.mode };
}

/** `null`: it is to be restored. */
function settledOf({ path, verdict }: Judged): PathResult | null {
  switch (verdict.is) {
    case "restore":
      return null;
    case "unchanged":
      return { path, outcome: "unchanged", code: null };
    case "conflict":
    case "failed":
      return { path, outcome: verdict.is, code: verdict.code };
  }
}

function restored(path: string): PathResult {
  return { path, outcome: "restored", code: null };
}

function idsOf({ checkpointId, sessionId }: Source): Pick<RestoreResult, "checkpointId" | "sessionId"> {
  return { checkpointId, sessionId };
}
