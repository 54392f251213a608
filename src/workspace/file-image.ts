/** What a file is, in short: enough to tell whether it is still the one that was looked at. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { codeOf, FileError } from "./file-errors.ts";

/** A regular file. */
export interface FileImage {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Permission bits, with set-user-id, set-group-id and sticky. */
  readonly mode: number;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Digest of bytes, in lower-case hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The file at `path`, `null` where there is none. A link is not followed.
 *
 * @throws FileError for what is no regular file; the system's errors otherwise
 */
export async function imageOf(path: string): Promise<FileImage | null> {
  let handle: FileHandle;
  try {
    // Not blocking, since a pipe may have taken the file's place.
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    if (codeOf(error) === "ELOOP") throw new FileError(`${path} is a symbolic link`, error);
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new FileError(`${path} is not a regular file`);
    const hash = createHash("sha256");
    for await (const piece of handle.createReadStream({ autoClose: false })) hash.update(piece as Buffer);
    return { sha256: hash.digest("hex"), mode: found.mode & 0o7777 };
  } finally {
    await handle.close();
  }
}

/** Whether bytes and mode are the same; `null` stands for no file. */
export function isSameImage(a: FileImage | null, b: FileImage | null): boolean {
  return a === null || b === null ? a === b : a.sha256 === b.sha256 && a.mode === b.mode;
}
