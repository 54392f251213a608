/** Keeps the bytes of files, so that they can be brought back. docs/reference/checkpoints.md, "What is captured" */
import { LemonError } from "../../errors.ts";
import type { FactData } from "../../events/index.ts";
import { systemFiles, type FileCalls } from "./file-calls.ts";
import { glance, MAX_SNAPSHOT_BYTES, observe, type Observed, type Unusable } from "./observe.ts";
import { placeAt } from "./place.ts";

/** A file as a checkpoint found it. */
export type CheckpointFile = FactData<"checkpoint.created">["files"][number];

/** Why a file can't be captured. */
export type CaptureReason =
  | "unsafe_path"
  | "unsupported_file_type"
  | "file_too_large"
  | "read_failed"
  | "file_changed_during_read";

/** A file can't be captured, so nothing was. Its reason is a {@link CaptureReason}. */
export class CaptureError extends LemonError {
  readonly path: string;

  constructor(reason: CaptureReason, path: string) {
    super(reason, `${path} ${messages[reason]}`, { field: "paths" });
    this.path = path;
  }
}

const messages: Readonly<Record<CaptureReason, string>> = {
  unsafe_path: "lies below a symbolic link: name the file that the link leads to",
  unsupported_file_type: "is not a regular file: only those can be kept",
  file_too_large: `is larger than ${MAX_SNAPSHOT_BYTES} bytes: it can't be kept`,
  read_failed: "can't be read",
  file_changed_during_read: "was changed again and again while it was read: try again when it rests",
};

/** What capturing needs. */
export interface CaptureOptions {
  /** Which relative paths start from. */
  readonly cwd: string;
  /** Stores bytes as they are, nothing masked. @returns their SHA-256 */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  /** Default: the system's. */
  readonly files?: FileCalls;
}

/**
 * Keeps the content and the mode of files, and the absence of those that are not there.
 *
 * A symbolic link is neither kept nor followed, and a path below one inside the working directory is refused: what it
 * leads to may change between two looks. All are looked at before the first is read, so that a path that can't be
 * kept leaves nothing behind.
 *
 * @param paths - absolute, or relative to `cwd`; each is kept once, in the order given
 * @throws CaptureError for the first that can't be kept; then none is
 */
export async function captureFiles(
  paths: readonly string[],
  { cwd, putBlob, files = systemFiles }: CaptureOptions,
): Promise<CheckpointFile[]> {
  const place = await placeAt(cwd, files);
  const wanted = [...new Set(paths.map((path) => place.resolve(path)))];
  for (const path of wanted) refuse(path, await glance(path, place.cwd, files));
  const kept: CheckpointFile[] = [];
  for (const path of wanted) {
    const seen = await observe(path, place.cwd, files);
    refuse(path, seen);
    const outsideCwd = !place.contains(path);
    if (seen.kind !== "file") {
      kept.push({ path, exists: false, type: null, size: null, mode: null, sha256: null, outsideCwd });
      continue;
    }
    const { bytes, size, mode } = seen;
    const sha256 = await putBlob(bytes);
    kept.push({ path, exists: true, type: "regular", size, mode, sha256, outsideCwd });
  }
  return kept;
}

function refuse(path: string, seen: Observed | null): void {
  if (seen?.kind === "unusable") throw new CaptureError(reasons[seen.code], path);
}

const reasons: Readonly<Record<Unusable, CaptureReason>> = {
  unsafe_path: "unsafe_path",
  symbolic_link: "unsupported_file_type",
  unsupported_file_type: "unsupported_file_type",
  file_too_large: "file_too_large",
  blocked: "read_failed",
  permission_denied: "read_failed",
  read_failed: "read_failed",
  file_changed_during_read: "file_changed_during_read",
};
