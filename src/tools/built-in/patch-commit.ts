/**
 * Writes what was planned, and takes it back if the disk refuses in the middle.
 */
import { constants } from "node:fs";
import { access, chmod, lstat, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../../errors.ts";
import { codeOf, fileError, FileError, replaceFile } from "../../workspace/index.ts";
import type { PlannedChange } from "./patch-plan.ts";

/**
 * Writes all changes, or none as far as the file system lets itself be undone.
 *
 * @param writer - as `replaceFile` takes it
 * @throws FileError naming the file that failed
 */
export async function commitChanges(changes: readonly PlannedChange[], writer: string): Promise<void> {
  for (const change of changes) await during(change, () => requireWritable(change));
  const undo: Undo = { writer, steps: [] };
  try {
    for (const change of changes) await during(change, () => write(change, undo));
    // Last, so that until then every byte exists somewhere.
    for (const [index, change] of changes.entries()) {
      const gone = change.after === null ? change.target : change.remove;
      // What a later part of the patch put in the same place stays.
      if (
        gone === null ||
        changes.slice(index + 1).some((later) => later.after !== null && later.target === gone)
      )
        continue;
      await during(change, () => remove(gone, change.before, undo));
    }
  } catch (error) {
    for (const step of undo.steps.toReversed())
      await step().catch((failure: unknown) => notUndone(error, failure));
    throw error;
  }
}

/** How to take back what was written, the last step first. */
interface Undo {
  readonly writer: string;
  readonly steps: (() => Promise<void>)[];
}

async function during(change: PlannedChange, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    throw await fileError(error, change.target, change.shown);
  }
}

function notUndone(error: unknown, failure: unknown): never {
  throw new FileError(
    `${messageOf(error)}; what was already written could not be taken back: ${messageOf(failure)}`,
    error,
  );
}

/** A refusal that can be foreseen is one that needs no undoing. */
async function requireWritable({ target, before, after, remove: old }: PlannedChange): Promise<void> {
  if (before !== null && after !== null && old === null) await orMissing(access(target, constants.W_OK));
  if (after === null) await access(dirname(target), constants.W_OK);
  if (old !== null) await access(dirname(old), constants.W_OK);
}

/** A file that an earlier part of the same patch creates is not there yet. */
async function orMissing(checking: Promise<void>): Promise<void> {
  try {
    await checking;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

async function write(
  { target, before, after, mode, from }: PlannedChange,
  { writer, steps }: Undo,
): Promise<void> {
  if (after === null) return;
  const { created } = await replaceFile(target, after, writer, mode ?? 0o666);
  if (created) {
    steps.push(() => rm(target, { force: true }));
    // A moved file keeps its mode whatever the umask says.
    if (from !== null && mode !== null) await chmod(target, mode);
    return;
  }
  const oldMode = (await stat(target)).mode & 0o7777;
  steps.push(async () => {
    if (before !== null) await replaceFile(target, before, writer);
    await chmod(target, oldMode);
  });
  if (mode !== null && mode !== oldMode) await chmod(target, mode);
}

async function remove(gone: string, before: Buffer | null, { writer, steps }: Undo): Promise<void> {
  const { mode } = await lstat(gone);
  await rm(gone);
  steps.push(async () => {
    if (before !== null) await replaceFile(gone, before, writer, mode & 0o777);
  });
}
