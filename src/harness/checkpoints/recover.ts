/**
 * Settles restores whose process is gone: what is there decides, and nothing is gone on with.
 * docs/reference/checkpoints.md, "When a restore is cut off"
 */
import type { FactData } from "../../events/index.ts";
import type { PathContent } from "../../projections/index.ts";
import { observe, type FileCalls } from "../../workspace/index.ts";
import { removeStages } from "./carry-out.ts";
import { removeEmpty } from "./folders.ts";
import { holds } from "./plan.ts";
import { endOf } from "./restore.ts";
import type { CheckpointStore } from "./store.ts";
import type { PathResult } from "./types.ts";
import type { Recorder } from "./writing.ts";

/** What settling needs. */
export interface RecoverParts {
  readonly store: CheckpointStore;
  readonly files: FileCalls;
  readonly running: ReadonlySet<string>;
}

/** Settles the open restores of a session that this process leads. */
export async function settleRestores(
  sessionId: string,
  recorder: Recorder,
  { store, files, running }: RecoverParts,
): Promise<void> {
  const { open } = await store.of(sessionId);
  for (const started of Object.values(open)) {
    if (running.has(started.restoreId)) continue;
    await settle(started, recorder, files);
  }
}

type Started = FactData<"checkpoint.restore_started">;

async function settle(started: Started, recorder: Recorder, files: FileCalls): Promise<void> {
  const { cwd, plan, settled } = started;
  const results: PathResult[] = (settled as PathResult[]).slice();
  for (const { path, targetSha256, targetMode } of plan) {
    const target: PathContent =
      targetSha256 === null ? { is: "absent" } : { is: "file", sha256: targetSha256, mode: targetMode };
    const isReached = holds(await observe(path, cwd, files), target);
    results.push(
      isReached
        ? { path, outcome: "restored", code: null }
        : { path, outcome: "failed", code: "interrupted" },
    );
  }
  await removeStages(plan, { cwd, files });
  // Those that hold no file are of no use to anybody.
  const unused = new Set(await removeEmpty(started.createdDirs.toReversed(), cwd, files));
  const createdDirs = await there(
    started.createdDirs.filter((folder) => !unused.has(folder)),
    files,
  );
  const left = new Set(await there(started.removedDirs, files));
  const removedDirs = started.removedDirs.filter((folder) => !left.has(folder));
  await recorder.write(endOf(started, { results, createdDirs, removedDirs }, recorder.callId));
}

async function there(folders: readonly string[], files: FileCalls): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    try {
      if ((await files.lstat(folder)).isDirectory()) found.push(folder);
    } catch {
      // Not there, or not to be seen: either way not one to reckon with.
    }
  }
  return found;
}
