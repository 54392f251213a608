/** A folder for a copy, that goes when it is not needed any more, also after the process was killed. */
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isOwnerGone, leaseOwner } from "../../log/index.ts";
import { codeOf, endMarked } from "../../workspace/index.ts";

const PREFIX = "lemon-bisect-";
const OWNER = "owner";
/** One that tells no owner: its process was killed in the moment of making it, or is just about to tell. */
const UNOWNED_MS = 60 * 60 * 1000;

/** Where a copy and what belongs to it are. */
export interface WorkFolder {
  /** Names the commands that run in it: the value of `LEMON_CALL` in their environment. */
  readonly marker: string;
  /** An empty folder with the name of the workspace. */
  readonly copy: string;
  readonly keep: string;
  /** Removes all of it. */
  remove(): Promise<void>;
}

/**
 * Makes a folder that only this user can look into. First removes those of processes that are gone, and ends what still runs in them.
 *
 * @param parent - where; it is there
 * @param cwd - the workspace, for its name
 */
export async function makeWorkFolder(parent: string, cwd: string): Promise<WorkFolder> {
  const place = await realpath(parent);
  await tidy(place);
  const folder = await mkdtemp(join(place, PREFIX));
  await writeFile(join(folder, OWNER), leaseOwner(), { mode: 0o600 });
  const copy = join(folder, "copy", basename(cwd) || "workspace");
  await mkdir(copy, { recursive: true, mode: 0o700 });
  return {
    marker: basename(folder),
    copy,
    keep: join(folder, "keep"),
    remove: () => removeAll(folder),
  };
}

async function tidy(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(place, name);
    try {
      if (!(await isLeftBehind(folder))) continue;
      await endMarked(name);
      await removeAll(folder);
    } catch {
      // It is not needed for this run: another process may be at it, or the next one gets it.
    }
  }
}

async function isLeftBehind(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  // In a folder for all, others may make what only looks like ours.
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
  try {
    return isOwnerGone(await readFile(join(folder, OWNER), "utf8"));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return Date.now() - found.mtimeMs > UNOWNED_MS;
  }
}

async function removeAll(folder: string): Promise<void> {
  // The owner goes last, so that what could not be removed now is found again.
  for (const name of await readdir(folder).catch(() => []))
    if (name !== OWNER) await removeTree(join(folder, name));
  await rm(folder, { recursive: true, force: true });
}

/** Also below folders that a command has closed to us. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    await openUp(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openUp(path: string): Promise<void> {
  const { chmod } = await import("node:fs/promises");
  await chmod(path, 0o700);
  for (const child of await readdir(path, { withFileTypes: true }))
    if (child.isDirectory()) await openUp(join(path, child.name));
}
