/** The file itself: finding it, reading it, and putting new bytes in its place. docs/reference/features.md, "Writing" */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { lstat, open, readdir, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import { NotFoundError } from "../../errors.ts";
import { codeOf } from "../../workspace/index.ts";
import { FeatureError, type FeatureReason } from "./errors.ts";
import { FILE_NAME, MAX_FILE_BYTES, tooLarge } from "./text.ts";

/** Where the features of a folder are: their file, and their stream. */
export interface Place {
  /** Without links. */
  readonly folder: string;
  readonly file: string;
  readonly stream: string;
}

/** A link is not followed, and a pipe without a writer is not waited for. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** @throws NotFoundError when there is no such folder, FeatureError `read_failed` */
export async function placeOf(cwd: string): Promise<Place> {
  try {
    const folder = await realpath(cwd);
    return { folder, file: path.join(folder, FILE_NAME), stream: streamOfFolder(folder) };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new NotFoundError(`there is no folder ${cwd}`, { field: "cwd", cause: error });
    throw readFailed(cwd, error);
  }
}

/** The stream of the features of a folder. @param folder - absolute, without links */
export function streamOfFolder(folder: string): string {
  return `features-${sha256(folder).slice(0, 16)}`;
}

/** The bytes, or `null` without a file. @throws FeatureError `unsafe_path`, `file_too_large`, `read_failed` */
export async function readBytes(file: string): Promise<Buffer | null> {
  try {
    const handle = await open(file, READ);
    try {
      const { size } = await regular(file, handle);
      if (size > MAX_FILE_BYTES) throw tooLarge(size);
      const bytes = await handle.readFile();
      if (bytes.length > MAX_FILE_BYTES) throw tooLarge(bytes.length);
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof FeatureError) throw error;
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // What Linux and macOS say of a link that is not to be followed; of a socket they say ENXIO or EOPNOTSUPP.
    if (code === "ELOOP" || code === "EMLINK" || code === "ENXIO" || code === "EOPNOTSUPP")
      throw unsafe(file);
    throw readFailed(file, error);
  }
}

async function regular(file: string, handle: Awaited<ReturnType<typeof open>>): Promise<{ size: number }> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw unsafe(file);
  return stats;
}

function unsafe(file: string): FeatureError {
  const expected = "a regular file";
  return new FeatureError(
    "unsafe_path",
    `${file} is a link, or no regular file: it is neither read nor written`,
    {
      expected,
    },
  );
}

function readFailed(file: string, cause: unknown): FeatureError {
  const code = codeOf(cause) ?? "unknown error";
  return new FeatureError("read_failed", `${file} could not be read: ${code}`, { got: code, cause });
}

/** Lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** What stands in the place of the file now: the digest of its bytes, `null` for nothing, `other` for what is never ours. */
export function digestOf(file: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, READ);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? null : "other";
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return "other";
    return sha256(readFileSync(descriptor));
  } catch {
    return "other"; // It can't be read, so it is not known to be what was there before.
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes the bytes beside the file, whole and flushed, under the name `staged`.
 *
 * Two processes may do so for one write: the bytes are the same, and whoever renames first takes the name away.
 *
 * @param own - an id that nobody else has
 * @throws the system's errors
 */
export async function stage({ file }: Place, bytes: Uint8Array, staged: string, own: string): Promise<void> {
  const draft = `${staged}-${own}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await takeAfter(file, handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await rename(draft, staged).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error; // Swept away: there will be nothing to rename, and another round.
  });
}

/** Mode and, where we may, owner of the file that is replaced. */
async function takeAfter(file: string, handle: Awaited<ReturnType<typeof open>>): Promise<void> {
  const before = await lstat(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  });
  if (before !== null) {
    const { uid, gid } = await handle.stat();
    if (uid !== before.uid || gid !== before.gid) {
      // Only root gives files away; someone who may write the file and does not own it becomes its owner.
      await handle.chown(before.uid, before.gid).catch((error: unknown) => {
        if (codeOf(error) !== "EPERM") throw error;
      });
    }
  }
  await handle.chmod(before === null ? 0o644 : before.mode & 0o7777);
}

/**
 * Puts the staged bytes in the place of the file if that is still what it was: looking and renaming are one step for
 * this process, since a person's editor may write at any time.
 *
 * @returns `gone` when somebody else has renamed the staged file
 */
export function replace(
  { file }: Place,
  staged: string,
  before: string | null,
): "replaced" | "changed" | "gone" {
  if (digestOf(file) !== before) return "changed";
  try {
    renameSync(staged, file);
    return "replaced";
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "gone";
    throw error;
  }
}

/** Makes a rename in the folder durable. */
export async function flushFolder({ folder }: Place): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const STAGED = `.${FILE_NAME}.lemon-`;

/** The name under which the bytes of a write stand until they are renamed. @param hash - of the write's fact */
export function stagedName({ folder }: Place, hash: string): string {
  return path.join(folder, STAGED + hash.slice(0, 16));
}

/**
 * Removes what writes left beside the file, those of killed processes too. One who is at it right now finds its file gone
 * and stages it again, or learns that its write was ended.
 */
export async function sweep({ folder }: Place): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(STAGED)) await rm(path.join(folder, name), { force: true });
}

/** The error for bytes that could not be written. */
export function writeError({ file }: Place, cause: unknown): FeatureError {
  const code = codeOf(cause) ?? "unknown error";
  const reasons: Readonly<Record<string, FeatureReason>> = {
    ENOSPC: "no_space",
    EDQUOT: "no_space",
    EACCES: "permission_denied",
    EPERM: "permission_denied",
    EROFS: "permission_denied",
  };
  return new FeatureError(reasons[code] ?? "write_failed", `${file} could not be written: ${code}`, {
    got: code,
    cause,
  });
}
