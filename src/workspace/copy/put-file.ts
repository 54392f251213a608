/** Changes a folder that is a copy: nothing outside of it is ever touched, whatever links are in it. */
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../file-errors.ts";
import { systemFiles } from "../snapshot/file-calls.ts";
import { parentsOf } from "../snapshot/parents.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Makes the folders down to `path`, itself included. A link or a file in the place of one makes way.
 *
 * @param root - absolute, no link, there
 * @param path - relative, `""` for the root
 * @returns those that were made, outermost first
 */
export async function ensureFolder(root: string, path: string): Promise<string[]> {
  const made: string[] = [];
  let folder = "";
  for (const name of path === "" ? [] : path.split("/")) {
    folder = folder === "" ? name : `${folder}/${name}`;
    const absolute = join(root, folder);
    const found = await lstat(absolute).catch(orMissing);
    if (found?.isDirectory() === true) continue;
    if (found !== undefined) await rm(absolute, { force: true });
    await mkdir(absolute);
    made.push(folder);
  }
  return made;
}

/** Gives a file these bytes and this mode. What stands in its place makes way. @returns the folders that were made */
export async function putFile(
  root: string,
  path: string,
  { bytes, mode }: { readonly bytes: Uint8Array; readonly mode: number },
): Promise<string[]> {
  const folder = dirname(path);
  const made = await ensureFolder(root, folder === "." ? "" : folder);
  const absolute = join(root, path);
  await rm(absolute, { recursive: true, force: true });
  const handle = await open(absolute, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(bytes);
    // Not by the call that makes it, since that asks the umask.
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
  return made;
}

/** Gives a file its mode, unless a link has taken its place. */
export async function setFileMode(root: string, path: string, mode: number): Promise<void> {
  const absolute = join(root, path);
  if ((await parentsOf(absolute, root, systemFiles)) !== "safe") return;
  // By its name: a file that may not be read can't be opened for it.
  if ((await lstat(absolute)).isFile()) await chmod(absolute, mode);
}

/** Removes a file or a link; below a link nothing is touched, and a folder is let be. */
export async function removeFile(root: string, path: string): Promise<void> {
  const absolute = join(root, path);
  if ((await parentsOf(absolute, root, systemFiles)) !== "safe") return;
  const found = await lstat(absolute).catch(orMissing);
  if (found !== undefined && !found.isDirectory()) await rm(absolute, { force: true });
}

/** Removes a folder if it is there, empty, and no link leads to it. @returns whether it was removed */
export async function removeEmptyFolder(root: string, path: string): Promise<boolean> {
  const absolute = join(root, path);
  if ((await parentsOf(absolute, root, systemFiles)) !== "safe") return false;
  try {
    await rmdir(absolute);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

function orMissing(error: unknown): undefined {
  if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
  throw error;
}
