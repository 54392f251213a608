/** The rules behind the long-running harness: todos, checkpoints, progress, introspection, and the features of a project. */
export {
  introspectionStream,
  listRecords,
  type IntrospectionFilter,
  type IntrospectionRecord,
} from "./introspection/list.ts";
export { isWatched, recordOf, type IntrospectionDraft } from "./introspection/record.ts";
export { recordOfRun } from "./introspection/background-run.ts";
export { recordOfSideQuery } from "./introspection/side-query.ts";
export { isoTime } from "./iso-time.ts";
export { featuresKnownAt, type FeaturesAt } from "./progress/features-at.ts";
export { readProgress, type ProgressSource, type ReadProgress } from "./progress/read.ts";
export type { NextFeature, NextTodo, ProgressSnapshot } from "./progress/snapshot.ts";
export {
  assertSessionId,
  idOfKey,
  InvalidSessionIdError,
  isSessionId,
  sessionStreamName,
} from "./session-id.ts";
export { TodoError } from "./todos/errors.ts";
export { todoPriorities, todoStatuses } from "./todos/item.ts";
export { putTodos, setTodoStatus, updateTodo, type TodoChange } from "./todos/list.ts";
export { problemText } from "./todos/problem-text.ts";
export { storedTodos } from "./todos/stored.ts";
export { lastVersionOf, versionAt } from "./versions.ts";
export {
  problemsOf,
  progressOf,
  type Feature,
  type FeatureDocument,
  type FeatureDocumentInput,
  type FeaturePriority,
  type FeatureProgress,
  type FeatureStatus,
} from "./features/document.ts";
export { FeatureError, JsonDecodeError } from "./features/errors.ts";
export type { GeneratedFeatures } from "./features/generate.ts";
export type { FeatureModel, GenerateOptions } from "./features/generation.ts";
export { hasFeatureNews, readFeatures, requireFeature } from "./features/reading.ts";
export { Features, requireStatus, type FeatureParts, type FeatureSource } from "./features/service.ts";
export {
  CheckpointError,
  CheckpointService,
  type AtVersion,
  type CheckpointDiff,
  type CheckpointKind,
  type CheckpointOrigin,
  type CheckpointRecord,
  type CheckpointSettings,
  type CheckpointStats,
  type CheckpointSummary,
  type CreateFilesystemOptions,
  type CreateOptions,
  type FileDiff,
  type FilesystemState,
  type GuardRequest,
  type PathResult,
  type Recorder,
  type SessionFacts,
  type RestoreAction,
  type RestoreCode,
  type RestoreOptions,
  type RestorePoint,
  type RestoreResult,
  type ResumedCheckpoint,
} from "./checkpoints/index.ts";
export { CallChanges, type ChangesWorld, type ChangingCall } from "./receipts/call-changes.ts";
export { CallWindows } from "./receipts/call-windows.ts";
export { ScanPatience } from "./receipts/scan-patience.ts";
export type { Receipt } from "./receipts/receipt.ts";
export { recoveredReceipt, type LostCall, type TakenGuard } from "./receipts/recovered.ts";
export { unifiedDiff } from "./checkpoints/diff-text.ts";
export { checkpointReader } from "./checkpoints/reader.ts";
export { checkpointsOfCall, type CheckpointControl } from "./checkpoints/within-call.ts";
export {
  BACKGROUND_QUEUE,
  isRunId,
  RUN_STREAM_PREFIX,
  RunNotFoundError,
  runStreamName,
  WORKER_LEASE,
} from "./background/id.ts";
export {
  abandonedRun,
  hasBackgroundWork,
  lastSeen,
  readRun,
  type Abandoned,
  type PresentRun,
} from "./background/present.ts";
export { presentlyBy, type RunRules } from "./background/presently.ts";
export {
  checkRunFilter,
  isInScope,
  RunReader,
  type BackgroundRunFilter,
  type BackgroundRunList,
  type BackgroundRunResult,
  type BackgroundRunScope,
} from "./background/reading.ts";
export { sessionKeyOf, type BackgroundErrorCode, type BackgroundRunSummary } from "./background/summary.ts";
export { changedFiles, type ChangedFiles } from "./background/changed-files.ts";
export { isTaskId, noTask, TaskError } from "./tasks/errors.ts";
export {
  joinRequest,
  taskIdOf,
  taskIdsOf,
  taskRequest,
  type JoinRequest,
  type TaskRequest,
} from "./tasks/request.ts";
export { loadRoles } from "./tasks/role-files.ts";
export { roleNamed, type Role } from "./tasks/roles.ts";
export { currentTasks, familyOf, storedTasks } from "./tasks/stored.ts";
