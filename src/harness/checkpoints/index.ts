/** Checkpoints: taking, comparing, restoring. */
export { CheckpointError } from "./errors.ts";
export type { RestoreAction, RestoreCode } from "./plan.ts";
export type { RestoreOptions } from "./restore.ts";
export {
  CheckpointService,
  type AtVersion,
  type CheckpointsDeps,
  type CheckpointSettings,
  type CreateFilesystemOptions,
  type CreateOptions,
  type GuardRequest,
  type ResumedCheckpoint,
} from "./service.ts";
export type {
  CheckpointDiff,
  CheckpointKind,
  CheckpointOrigin,
  CheckpointRecord,
  CheckpointStats,
  CheckpointSummary,
  FileDiff,
  FilesystemState,
  PathResult,
  RestorePoint,
  RestoreResult,
} from "./types.ts";
export type { CheckpointFact, Recorder, SessionFacts } from "./writing.ts";
