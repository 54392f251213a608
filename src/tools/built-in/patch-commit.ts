/**
 * Writes what was planned, file by file. What is written when the disk refuses in the middle stays: a checkpoint has
 * the files as they were, and the receipt says which are other now.
 */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, type FileChanges, fileError } from "../../workspace/index.ts";
import type { PlannedChange } from "./patch-plan.ts";

/**
 * Finds what can be foreseen of a refusal, while nothing is changed.
 *
 * @throws FileError naming the file
 */
export async function requireWritable(changes: readonly PlannedChange[]): Promise<void> {
  for (const change of changes) {
    await during(change, async () => {
      const { target, before, after, remove } = change;
      if (before !== null && after !== null && remove === null)
        await orMissing(access(target, constants.W_OK));
      if (after === null) await access(dirname(target), constants.W_OK);
      if (remove !== null) await access(dirname(remove), constants.W_OK);
    });
  }
}

/**
 * Writes all changes; the files are guarded.
 *
 * @param done - told each change that is complete
 * @throws FileError naming the file that failed; what was written before stays
 */
export async function commitChanges(
  changes: readonly PlannedChange[],
  files: FileChanges,
  done: (change: PlannedChange) => void,
): Promise<void> {
  const later: { readonly change: PlannedChange; readonly gone: string }[] = [];
  for (const [index, change] of changes.entries()) {
    await during(change, () => write(change, files));
    const gone = change.after === null ? change.target : change.remove;
    // What a later part of the patch put in the same place stays.
    const isTaken = changes.slice(index + 1).some(({ after, target }) => after !== null && target === gone);
    if (gone === null || isTaken) done(change);
    else later.push({ change, gone });
  }
  // Last, so that until then every byte exists somewhere.
  for (const { change, gone } of later) {
    await during(change, () => files.remove(gone));
    done(change);
  }
}

async function during(change: PlannedChange, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    throw await fileError(error, change.target, change.shown);
  }
}

/** A file that an earlier part of the same patch creates is not there yet. */
async function orMissing(checking: Promise<void>): Promise<void> {
  try {
    await checking;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

async function write({ target, after, mode, from }: PlannedChange, files: FileChanges): Promise<void> {
  if (after === null) return;
  const { created } = await files.replace(target, after, mode ?? 0o666);
  if (mode === null) return;
  // A moved file keeps its mode whatever the umask says; a new one gets what the umask leaves.
  if (created ? from !== null : ((await stat(target)).mode & 0o7777) !== mode)
    await files.setMode(target, mode);
}
