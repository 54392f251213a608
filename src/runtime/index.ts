/** The rooms put together: what a program embeds. */
export {
  AbortedError,
  EmptyPromptError,
  InvalidExtensionsError,
  InvalidOptionsError,
  InvalidPromptError,
  InvalidToolError,
  NoModelError,
  ReloadFailedError,
  SessionExistsError,
  SessionFailedError,
  SessionStreamingError,
} from "./errors.ts";
export {
  assertSessionId,
  idOfKey,
  InvalidSessionIdError,
  TodoError,
  type IntrospectionRecord,
  type ProgressSnapshot,
} from "../harness/index.ts";
export { SessionNotFoundError, type StateAt } from "../replay/index.ts";
export type { ExtensionFacts, LoadedExtensions, RuntimeExtensions } from "./runtime-extensions.ts";
export type { Runtime } from "./running-runtime.ts";
export type { TaskCancel, TaskResult, TaskSummary } from "./subagents/runtime-tasks.ts";
export { createRuntime } from "./runtime.ts";
export type { RuntimeOptions } from "./runtime-options.ts";
export { controlPlaneTokenFile } from "./control-plane-token.ts";
export { systemClock } from "../supervision/index.ts";
export { systemIds } from "./system-ports.ts";
export type { SessionOptions } from "./session-factory.ts";
export type { PendingApproval } from "../projections/index.ts";
export { Session } from "./session.ts";
export type { Outcome, Prompt, SessionState, ToolInfo } from "./session-types.ts";
export { SideQueryError } from "../actors/index.ts";
export type { SideQueries, SideQueryResult } from "./side-queries.ts";
export { readQuestion, type SideQueryOptions } from "./side-query-options.ts";
export type { SideQuerySource } from "./side-query-source.ts";
export type { Sessions } from "./sessions.ts";
export type { StartOptions } from "./start-options.ts";
export {
  CheckpointError,
  type CheckpointDiff,
  type CheckpointRecord,
  type CheckpointService,
  type CheckpointStats,
  type CheckpointSummary,
  type CreateFilesystemOptions,
  type CreateOptions,
  type FileDiff,
  type RestoreOptions,
  type RestorePoint,
  type RestoreResult,
  type ResumedCheckpoint,
} from "../harness/index.ts";
export { hasBackgroundWork, isRunId, WORKER_LEASE } from "../harness/index.ts";
export type { BackgroundRunOptions } from "./background/options.ts";
export type { BackgroundRuns, CancelledRun, QueuedRun } from "./background/service.ts";
export type {
  BackgroundRunFilter,
  BackgroundRunList,
  BackgroundRunResult,
  BackgroundRunSummary,
} from "../harness/index.ts";
export { CaptureError } from "../workspace/index.ts";
export type { ChangedContext } from "./what-if/judge.ts";
export { whatIfOver } from "./what-if/over-log.ts";
export type { WhatIfOptions, WhatIfReport } from "./what-if/what-if.ts";
