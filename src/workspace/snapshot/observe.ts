/** Looks at one path without following a link, and reads what is there only if it is a file of a bounded size. */
import { createHash } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { codeOf } from "../file-errors.ts";
import type { FileCalls } from "./file-calls.ts";
import { parentsOf } from "./parents.ts";

/** The largest file that is kept and brought back. */
export const MAX_SNAPSHOT_BYTES = 10 * 1024 * 1024;

/** How often a file is read again that was changed while it was read. */
const REREADS = 3;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Why a path can't be read. */
export type Unusable =
  | "unsafe_path"
  | "symbolic_link"
  | "unsupported_file_type"
  | "file_too_large"
  | "blocked"
  | "permission_denied"
  | "read_failed"
  | "file_changed_during_read";

/** A regular file as it was found. */
export interface FoundFile {
  readonly kind: "file";
  readonly bytes: Buffer;
  readonly size: number;
  readonly sha256: string;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What stands at a path. */
export type Observed =
  | FoundFile
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly code: Unusable };

/** Looks at a path; every failure is an answer. */
export async function observe(path: string, cwd: string, files: FileCalls): Promise<Observed> {
  try {
    for (let read = 0; read <= REREADS; read += 1) {
      const seen = await once(path, cwd, files);
      if (seen !== "changed") return seen;
    }
    return unusable("file_changed_during_read");
  } catch (error) {
    return failure(error);
  }
}

/** Looks at a path without reading it. `null`: a file that may be read. */
export async function glance(path: string, cwd: string, files: FileCalls): Promise<Observed | null> {
  try {
    const looked = await look(path, cwd, files);
    return "kind" in looked ? looked : null;
  } catch (error) {
    return failure(error);
  }
}

async function once(path: string, cwd: string, files: FileCalls): Promise<Observed | "changed"> {
  const before = await look(path, cwd, files);
  if ("kind" in before) return before;
  // Not blocking, since a pipe may have taken the file's place; not following, since a link may have.
  const handle = await files.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const opened = await handle.stat({ bigint: true });
    if (!isSame(before, opened)) return "changed";
    const bytes = await readAll(handle, Number(opened.size));
    if (bytes === null || !isSame(opened, await handle.stat({ bigint: true }))) return "changed";
    // A folder above may have been swapped for a link meanwhile: then these are the bytes of another file.
    const after = await look(path, cwd, files);
    if ("kind" in after) return after.kind === "absent" ? "changed" : after;
    if (!isSame(opened, after)) return "changed";
    return {
      kind: "file",
      bytes,
      size: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      mode: Number(after.mode) & 0o7777,
      uid: Number(after.uid),
      gid: Number(after.gid),
    };
  } finally {
    await handle.close();
  }
}

async function look(path: string, cwd: string, files: FileCalls): Promise<BigIntStats | Observed> {
  const parents = await parentsOf(path, cwd, files);
  if (parents === "unsafe") return unusable("unsafe_path");
  if (parents === "blocked") return unusable("blocked");
  if (parents === "missing") return { kind: "absent" };
  const found = await files.lstat(path);
  if (found.isSymbolicLink()) return unusable("symbolic_link");
  if (!found.isFile()) return unusable("unsupported_file_type");
  if (found.size > MAX_SNAPSHOT_BYTES) return unusable("file_too_large");
  return found;
}

/** `null` when there is more or less than `size` bytes: the file is being written. */
async function readAll(handle: FileHandle, size: number): Promise<Buffer | null> {
  // One byte more than there should be, to notice a file that grows.
  const buffer = Buffer.alloc(size + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : null;
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mode === b.mode && a.mtimeNs === b.mtimeNs
  );
}

function failure(error: unknown): Observed {
  switch (codeOf(error)) {
    case "ENOENT":
      return { kind: "absent" };
    case "ENOTDIR":
      return unusable("blocked");
    case "ELOOP":
    case "EMLINK":
      return unusable("symbolic_link");
    case "EACCES":
    case "EPERM":
      return unusable("permission_denied");
    default:
      return unusable("read_failed");
  }
}

function unusable(code: Unusable): Observed {
  return { kind: "unusable", code };
}
