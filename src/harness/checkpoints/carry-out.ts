/**
 * Carries a restore out: every file is written beside its place first, and only when all are there they take their
 * places, one after the other, each looked at once more. docs/reference/checkpoints.md, "How a restore goes"
 */
import { constants } from "node:fs";
import { dirname } from "node:path";
import type { PathContent } from "../../projections/index.ts";
import {
  codeOf,
  observe,
  parentsOf,
  writeFailureOf,
  writeStage,
  type FileCalls,
  type Observed,
} from "../../workspace/index.ts";
import { flushFolders, missingAbove, removeEmpty } from "./folders.ts";
import { holds, type RestoreAction, type RestoreCode } from "./plan.ts";
import type { PathResult } from "./types.ts";

/** One path that is to be touched. */
export interface PlannedPath {
  readonly path: string;
  readonly action: RestoreAction;
  readonly target: Exclude<PathContent, { readonly is: "unknown" }>;
  /** What stood there when it was planned. */
  readonly current: Exclude<PathContent, { readonly is: "unknown" }>;
  /** Of the file that stands there. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** The sibling; `null` where no bytes have to be written. */
  readonly stage: string | null;
}

/** What carrying out needs. */
export interface CarryOutParts {
  readonly cwd: string;
  readonly files: FileCalls;
  readonly getBlob: (sha256: string) => Promise<Uint8Array>;
  readonly signal: AbortSignal | undefined;
}

/** What was done. */
export interface CarriedOut {
  readonly results: readonly PathResult[];
  /** Outermost first. */
  readonly createdDirs: readonly string[];
  readonly removedDirs: readonly string[];
}

/** Mode of a file whose mode is not known and that is not there. */
const DEFAULT_MODE = 0o644;

/**
 * Brings the paths back, in their order. Every failure is a result.
 *
 * @param leftBehind - directories to remove when they are empty by then, innermost first
 */
export async function carryOut(
  plan: readonly PlannedPath[],
  leftBehind: readonly string[],
  parts: CarryOutParts,
): Promise<CarriedOut> {
  const made: string[] = [];
  const refused = await stageAll(plan, made, parts);
  if (refused !== null) {
    await removeStages(plan, parts);
    await removeEmpty(made.toReversed(), parts.cwd, parts.files);
    const results = plan.map(({ path }) =>
      failed(path, path === refused.path ? refused.code : "not_attempted"),
    );
    return { results, createdDirs: [], removedDirs: [] };
  }
  const results: PathResult[] = [];
  for (const planned of plan) results.push(await replace(planned, parts));
  await removeStages(plan, parts);
  const unused = new Set(await removeEmpty(made.toReversed(), parts.cwd, parts.files));
  const removedDirs = results.some(({ outcome }) => outcome === "restored")
    ? await removeEmpty(leftBehind, parts.cwd, parts.files)
    : [];
  await flushFolders(new Set(plan.map(({ path }) => dirname(path))), parts.files);
  return { results, createdDirs: made.filter((folder) => !unused.has(folder)), removedDirs };
}

/** Takes away the siblings that have not taken their places. */
export async function removeStages(
  plan: readonly Pick<PlannedPath, "stage">[],
  { cwd, files }: Pick<CarryOutParts, "cwd" | "files">,
): Promise<void> {
  for (const { stage } of plan) {
    if (stage === null) continue;
    try {
      if ((await parentsOf(stage, cwd, files)) === "safe") await files.unlink(stage);
    } catch {
      // Most have taken their places, so there is nothing to remove. What can't be removed is litter, and no harm.
    }
  }
}

interface Refused {
  readonly path: string;
  readonly code: RestoreCode;
}

/** @param made - gets the directories that were made. @returns the first that could not be written */
async function stageAll(
  plan: readonly PlannedPath[],
  made: string[],
  parts: CarryOutParts,
): Promise<Refused | null> {
  for (const planned of plan) {
    const { path } = planned;
    if (parts.signal?.aborted === true) return { path, code: "not_attempted" };
    const code = await stageOne(planned, made, parts);
    if (code !== null) return { path, code };
  }
  return null;
}

async function stageOne(
  { path, target, current, owner, stage }: PlannedPath,
  made: string[],
  { cwd, files, getBlob }: CarryOutParts,
): Promise<RestoreCode | null> {
  if (stage === null || target.is === "absent") return null;
  let bytes: Uint8Array;
  try {
    bytes = await getBlob(target.sha256);
  } catch {
    return "content_unavailable";
  }
  try {
    const parents = await parentsOf(path, cwd, files);
    if (parents === "unsafe") return "unsafe_path";
    for (const folder of await missingAbove(path, files)) {
      await files.mkdir(folder);
      made.push(folder);
    }
    const mode = target.mode ?? (current.is === "file" ? current.mode : null) ?? DEFAULT_MODE;
    await writeStage(stage, { bytes, mode, owner }, files);
    return null;
  } catch (error) {
    return writeFailureOf(error);
  }
}

async function replace(planned: PlannedPath, parts: CarryOutParts): Promise<PathResult> {
  const { path, action, target, current, stage } = planned;
  const { cwd, files, signal } = parts;
  if (signal?.aborted === true) return failed(path, "not_attempted");
  try {
    const now = await observe(path, cwd, files);
    const refusal = refusalOf(now, current);
    if (refusal !== null) return refusal(path);
    if (action === "remove") await files.unlink(path);
    else if (action === "chmod") await setMode(path, target, files);
    else if (stage !== null)
      await (action === "recreate" ? putNew(stage, path, files) : files.rename(stage, path));
    return { path, outcome: "restored", code: null };
  } catch (error) {
    // Somebody made a file there in this very moment, and it stays.
    if (action === "recreate" && codeOf(error) === "EEXIST") return conflict(path);
    return failed(path, writeFailureOf(error));
  }
}

/** `null`: it is as it was when it was planned. */
function refusalOf(now: Observed, planned: PathContent): ((path: string) => PathResult) | null {
  if (now.kind === "unusable" && (now.code === "unsafe_path" || now.code === "symbolic_link"))
    return (path) => failed(path, "unsafe_path");
  return holds(now, planned) ? null : conflict;
}

/** Never over a file that came in between: a hard link is only made where nothing is. */
async function putNew(stage: string, path: string, files: FileCalls): Promise<void> {
  try {
    await files.link(stage, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    // A file system without hard links.
    await files.rename(stage, path);
  }
}

async function setMode(path: string, target: PathContent, files: FileCalls): Promise<void> {
  if (target.is !== "file" || target.mode === null) return;
  const handle = await files.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await handle.chmod(target.mode);
  } finally {
    await handle.close();
  }
}

function conflict(path: string): PathResult {
  return { path, outcome: "conflict", code: "changed_by_other" };
}

function failed(path: string, code: RestoreCode): PathResult {
  return { path, outcome: "failed", code };
}
