/** What can be wrong with a checkpoint, or with what is asked of one. docs/reference/checkpoints.md */
import { LemonError, NotFoundError, type LemonErrorDetails } from "../../errors.ts";

/** The words that tell these errors apart. */
export type CheckpointReason =
  | "invalid_state"
  | "invalid_metadata"
  | "invalid_keep"
  | "invalid_paths"
  | "invalid_action"
  | "missing_checkpoint_id"
  | "path_not_in_checkpoint"
  | "not_filesystem_checkpoint"
  | "not_session_checkpoint"
  | "capture_failed"
  | "content_unavailable"
  | "conflict"
  | "aborted";

/** Something about a checkpoint can't be done; `reason` says what. Nothing was changed. */
export class CheckpointError extends LemonError {
  constructor(reason: CheckpointReason, message: string, details: LemonErrorDetails = {}) {
    super(reason, message, details);
  }
}

/** `chk_` and 16 hexadecimal digits. */
const ID = /^chk_[0-9a-f]{16}$/;

/** Whether it can be the id of a checkpoint. */
export function isCheckpointId(id: unknown): id is string {
  return typeof id === "string" && ID.test(id);
}

/** There is no such checkpoint, or it was deleted. What can't be an id is answered alike. */
export function noCheckpoint(id: unknown): NotFoundError {
  return new NotFoundError(
    isCheckpointId(id) ? `there is no checkpoint ${id}` : "there is no checkpoint of that id",
    { field: "checkpointId" },
  );
}
