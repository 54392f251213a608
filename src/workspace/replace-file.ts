/**
 * Writes a file so that a reader, or a crash, sees the old bytes or the new ones and never a part.
 */
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import {
  access,
  lstat,
  mkdir,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, FileError } from "./file-errors.ts";

/** Linux follows 40 links before it gives up; so do we. */
const maxLinks = 40;

/**
 * The file that a write to `path` changes: links are followed, also one whose target is not there yet, and so are
 * those in the directories above, so that two names of one file give one answer.
 */
export async function targetOf(path: string): Promise<string> {
  let current = path;
  for (let links = 0; links < maxLinks; links += 1) {
    const found = await orMissing(realpath(current));
    if (found !== undefined) return found;
    const link = await orMissing(lstat(current));
    if (link?.isSymbolicLink() !== true) {
      const parent = dirname(current);
      return parent === current ? current : join(await targetOf(parent), basename(current));
    }
    current = resolve(dirname(current), await readlink(current));
  }
  throw new FileError(`${path}: too many symbolic links`);
}

async function orMissing<Value>(looking: Promise<Value>): Promise<Value | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** What {@link replaceFile} did. */
export interface Replaced {
  readonly created: boolean;
}

/**
 * Gives `target` these bytes: a sibling file is written, flushed and renamed over it. Directories above are created.
 *
 * Mode and, where we may, owner of an existing file are kept. In a directory where nothing can be created, an existing
 * file is written in place instead: not atomic, but the only way.
 *
 * @param target - from {@link targetOf}; a link here would be replaced by a file
 * @param writer - an id that nobody else has; it names the sibling, so that {@link removeSibling} finds what a kill left
 * @param mode - for a new file; an existing one keeps its own
 * @throws FileError if it is no regular file; the system's errors otherwise
 */
export async function replaceFile(
  target: string,
  bytes: Uint8Array,
  writer: string,
  mode = 0o666,
): Promise<Replaced> {
  const existing = await replaceableAt(target);
  if (existing === undefined) await mkdir(dirname(target), { recursive: true });
  const sibling = siblingOf(target, writer);
  try {
    await writeSibling(sibling, bytes, existing, mode);
  } catch (error) {
    await rm(sibling, { force: true });
    if (existing === undefined || !["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw error;
    await writeFile(target, bytes);
    return { created: false };
  }
  try {
    await rename(sibling, target);
  } catch (error) {
    await rm(sibling, { force: true });
    throw error;
  }
  return { created: existing === undefined };
}

/**
 * The file that {@link replaceFile} would replace; `undefined` where there is none.
 *
 * @throws FileError if it is no regular file; the system's errors otherwise, also for one that is write-protected
 */
export async function replaceableAt(target: string): Promise<Stats | undefined> {
  const existing = await orMissing(stat(target));
  if (existing === undefined) return undefined;
  if (existing.isDirectory()) throw new FileError(`${target} is a directory`);
  if (!existing.isFile()) throw new FileError(`${target} is not a regular file`);
  // A rename needs no permission on the file itself, so a write-protected one has to be asked for.
  await access(target, constants.W_OK);
  return existing;
}

/** Removes what a writer that was killed inside {@link replaceFile} has left beside `target`, if it has. */
export async function removeSibling(target: string, writer: string): Promise<void> {
  await rm(siblingOf(target, writer), { force: true });
}

function siblingOf(target: string, writer: string): string {
  const name = createHash("sha256").update(writer).digest("hex").slice(0, 16);
  return join(dirname(target), `.lemon-${name}.tmp`);
}

async function writeSibling(
  sibling: string,
  bytes: Uint8Array,
  existing: Stats | undefined,
  mode: number,
): Promise<void> {
  await using file = await opened(sibling, existing === undefined ? mode : 0o600);
  await file.handle.writeFile(bytes);
  if (existing !== undefined) {
    const { uid, gid } = await file.handle.stat();
    if (uid !== existing.uid || gid !== existing.gid) await keepOwner(file.handle, existing);
    // After chown, which clears the set-user-id bits.
    await file.handle.chmod(existing.mode & 0o7777);
  }
  await file.handle.sync();
}

async function keepOwner(handle: Awaited<ReturnType<typeof open>>, { uid, gid }: Stats): Promise<void> {
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    // Only root gives files away. Someone who may write the file but does not own it becomes its owner.
    if (codeOf(error) !== "EPERM") throw error;
  }
}

async function opened(path: string, mode: number) {
  const handle = await open(path, "wx", mode);
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}
