/** Checkpoints: taking, comparing, restoring. */
export { CheckpointError } from "./errors.ts";
export type { RestoreAction, RestoreCode } from "./plan.ts";
export type { RestoreOptions } from "./restore-options.ts";
export { CheckpointService } from "./service.ts";
export type {
  AtVersion,
  CheckpointsDeps,
  CheckpointSettings,
  CreateFilesystemOptions,
  CreateOptions,
  GuardRequest,
  ResumedCheckpoint,
} from "./service-options.ts";
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
