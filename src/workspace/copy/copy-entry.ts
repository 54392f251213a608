/** Copies single entries of a workspace to another folder, so that nothing in the copy leads back by accident. */
import { constants, type Stats } from "node:fs";
import { copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { codeOf } from "../file-errors.ts";
import { within } from "../snapshot/place.ts";

/** Both ends of a copy. Absolute, no links. */
export interface CopyEnds {
  readonly from: string;
  readonly to: string;
}

/** Entries that are copied at the same time: what the thread pool of Node can do. */
const AT_ONCE = 16;

/** Goes through `items` with several at work at once. Rejects with the first failure, once all of them rest. */
export async function forAll<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const one = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      signal?.throwIfAborted();
      const item = items[next];
      next += 1;
      if (item !== undefined) await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, () =>
    one().catch((error: unknown) => failures.push(error)),
  );
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}

/** What became of an entry: `gone` when it is not what it was any more. */
export type Copied = "copied" | "gone" | "unreadable";

/**
 * Copies a regular file with its permissions and its time of modification. Shares its blocks where the file system can;
 * never a hard link, through which a command would write to the original.
 */
export async function copyRegular(path: string, { from, to }: CopyEnds): Promise<Copied> {
  const source = join(from, path);
  const target = join(to, path);
  let found: Stats;
  try {
    found = await lstat(source);
    if (!found.isFile()) return "gone";
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    return failureOf(error);
  }
  // Tools that compare times build no more, and no less, than they would in the original.
  await utimes(target, found.atimeMs / 1000, found.mtimeMs / 1000).catch((error: unknown) => {
    // Of a file without write permission its owner may set the times all the same; others made it, so they own it.
    if (codeOf(error) !== "EPERM") throw error;
  });
  return "copied";
}

/** Copies a link as a link. */
export async function copyLink(path: string, ends: CopyEnds): Promise<Copied> {
  try {
    const text = await readlink(join(ends.from, path));
    await symlink(textInCopy(path, text, ends), join(ends.to, path));
    return "copied";
  } catch (error) {
    return codeOf(error) === "EINVAL" ? "gone" : failureOf(error);
  }
}

/**
 * A link that leads into the workspace leads into the copy; one that leads out of it leads to the same place as before,
 * also where it said so from where it stood.
 */
function textInCopy(path: string, text: string, { from, to }: CopyEnds): string {
  const target = resolve(dirname(join(from, path)), text);
  const inside = within(from, target);
  if (inside === null) return target;
  return isAbsolute(text) ? join(to, inside) : text;
}

/** Makes a folder like the one of the original, which its owner can always work in and remove. */
export async function copyFolder(path: string, { from, to }: CopyEnds): Promise<Copied> {
  try {
    const { mode } = await lstat(join(from, path));
    await mkdir(join(to, path), { recursive: true, mode: (mode & 0o7777) | 0o700 });
    return "copied";
  } catch (error) {
    return failureOf(error);
  }
}

/** A folder with all that is in it, ignored or not: `.git`, `skipped` and what is neither file, folder nor link excepted. */
export async function copyAll(
  path: string,
  ends: CopyEnds,
  skipped: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<{ readonly files: number; readonly isWhole: boolean }> {
  let files = 0;
  let isWhole = true;
  const leaves: { readonly path: string; readonly isLink: boolean }[] = [];
  const folders = [path];
  for (const folder of folders) {
    signal?.throwIfAborted();
    if ((await copyFolder(folder, ends)) === "unreadable") isWhole = false;
    const children = await readdir(join(ends.from, folder), { withFileTypes: true }).catch(() => null);
    if (children === null) isWhole = false;
    for (const child of children ?? []) {
      const below = join(folder, child.name);
      if (child.name === ".git" || skipped.has(join(ends.from, below))) continue;
      if (child.isDirectory()) folders.push(below);
      else if (child.isFile() || child.isSymbolicLink())
        leaves.push({ path: below, isLink: child.isSymbolicLink() });
    }
  }
  const copyLeaf = async (leaf: (typeof leaves)[number]): Promise<void> => {
    const copied = await (leaf.isLink ? copyLink(leaf.path, ends) : copyRegular(leaf.path, ends));
    if (copied === "unreadable") isWhole = false;
    if (copied === "copied" && !leaf.isLink) files += 1;
  };
  await forAll(leaves, copyLeaf, signal);
  return { files, isWhole };
}

/** What can't be read is told; what can't be written ends the copy. */
function failureOf(error: unknown): Copied {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return "gone";
  if (code === "EACCES" || code === "EPERM" || code === "EIO") return "unreadable";
  throw error;
}
