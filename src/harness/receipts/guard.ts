/** The checkpoint that is taken of files before a tool changes them. docs/reference/receipts.md, "The guard" */
import { CaptureError, displayPath, type CaptureReason, type FileImage } from "../../workspace/index.ts";
import type { CheckpointService, GuardRequest, Recorder } from "../checkpoints/index.ts";

/** Files can't be kept, so they are not changed. */
class GuardError extends CaptureError {
  constructor({ reason, path, message }: CaptureError, cwd: string) {
    super(reason as CaptureReason, path); // the words of that class
    this.message =
      `${displayPath(path, cwd)} can't be kept for a restore (${reason}), so nothing was changed: ${message}. ` +
      "A user can switch this off: [checkpoints] guard = false";
  }
}

/** Takes a checkpoint for a call; resolves when it is durable. */
export type TakeGuard = CheckpointService["guard"];

/** Files as the guard kept them. */
export interface GuardedFiles {
  readonly checkpointId: string;
  /** By path; `null` where there is none. */
  readonly images: ReadonlyMap<string, FileImage | null>;
}

/**
 * Keeps what files hold, for one call. Resolves when it is durable.
 *
 * @throws CaptureError for the first file that can't be kept; then nothing is recorded
 */
export async function keepGuarded(
  take: TakeGuard,
  sessionId: string,
  request: GuardRequest,
  recorder: Recorder,
): Promise<GuardedFiles> {
  const { checkpointId, files } = await take(sessionId, request, recorder).catch((error: unknown) => {
    throw error instanceof CaptureError ? new GuardError(error, request.cwd) : error;
  });
  const images = files.map(
    ({ path, sha256, mode }) => [path, sha256 === null || mode === null ? null : { sha256, mode }] as const,
  );
  return { checkpointId, images: new Map(images) };
}
