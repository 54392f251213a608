/** Directories of a restore: those that it makes for files, and those of calls that it leaves empty. */
import { constants } from "node:fs";
import { dirname } from "node:path";
import { codeOf, parentsOf, within, type FileCalls } from "../../workspace/index.ts";

/** The directories above a path that are not there, outermost first. Rejects with the system's error. */
export async function missingAbove(path: string, files: FileCalls): Promise<string[]> {
  const missing: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      await files.lstat(folder);
      return missing;
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      missing.unshift(folder);
    }
  }
}

/**
 * Which of the directories that calls made may go, innermost first: those above a file that is removed, and with
 * `all` the others of the working directory too.
 */
export function leftBehind(
  made: readonly string[],
  removed: readonly string[],
  { cwd, all }: { readonly cwd: string; readonly all: boolean },
): string[] {
  const isAbove = (folder: string): boolean =>
    removed.some((path) => within(folder, path) !== null && path !== folder);
  const isInside = (folder: string): boolean => within(cwd, folder) !== null && folder !== cwd;
  return made
    .filter((folder) => isAbove(folder) || (all && isInside(folder)))
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/**
 * Removes directories that are empty, in the order given. One that is not, or not any more, or that lies below a link,
 * is left alone.
 *
 * @returns those that were removed
 */
export async function removeEmpty(
  folders: readonly string[],
  cwd: string,
  files: FileCalls,
): Promise<string[]> {
  const removed: string[] = [];
  for (const folder of folders) {
    try {
      if ((await parentsOf(folder, cwd, files)) !== "safe") continue;
      // Of a link, rmdir says that it is no directory.
      await files.rmdir(folder);
      removed.push(folder);
    } catch {
      // Files are what counts: a directory that can't be removed stays, and is not told as removed.
    }
  }
  return removed;
}

/** Has the names in these directories reach the disk. A file system that can't is none that could have lost them. */
export async function flushFolders(folders: Iterable<string>, files: FileCalls): Promise<void> {
  for (const folder of folders) {
    try {
      const handle = await files.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch {
      // The directory may be gone by now, or be one that must not be opened.
    }
  }
}
