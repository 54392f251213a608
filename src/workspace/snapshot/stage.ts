/** Writes the bytes of a file beside it, so that one rename puts them in its place. */
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../file-errors.ts";
import type { FileCalls } from "./file-calls.ts";

/** Bytes that a name may have on the file systems in use. */
const MAX_NAME_BYTES = 255;

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** Why a path can't be written. */
export type WriteFailure = "no_space" | "permission_denied" | "write_failed";

/** What a staged file is to be. */
export interface StagedFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Of the file whose place it takes; `null` where there is none. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

/** The sibling that holds a file's bytes: `.<name>.lemon-<token>`. A name that is too long for that is cut. */
export function stageOf(path: string, token: string): string {
  const end = `.lemon-${token}`;
  let name = `.${basename(path)}`;
  while (Buffer.byteLength(name + end) > MAX_NAME_BYTES) name = Array.from(name).slice(0, -1).join("");
  return join(dirname(path), name + end);
}

/** Writes the sibling, which must not be there, and flushes it. What fails leaves none. Rejects with the system's error. */
export async function writeStage(
  stage: string,
  { bytes, mode, owner }: StagedFile,
  files: FileCalls,
): Promise<void> {
  const handle = await files.open(stage, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(bytes);
    if (owner !== null) await keepOwner(handle, owner);
    // After chown, which clears the set-user-id bits.
    await handle.chmod(mode);
    await handle.sync();
  } catch (error) {
    await files.unlink(stage).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

type Handle = Awaited<ReturnType<FileCalls["open"]>>;

async function keepOwner(handle: Handle, { uid, gid }: NonNullable<StagedFile["owner"]>): Promise<void> {
  const made = await handle.stat();
  if (made.uid === uid && made.gid === gid) return;
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    // Only root gives files away. Someone who may replace the file but does not own it becomes its owner.
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** The word for what the system refused. */
export function writeFailureOf(error: unknown): WriteFailure {
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return "no_space";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "permission_denied";
    default:
      return "write_failed";
  }
}
