/** What the facts of a stream add up to: pure folds from facts to views. */
export { project, type Projection } from "./projection.ts";
export type { CallView } from "./call-view.ts";
export { pendingCalls, sessionView, type OutcomeView, type SessionView } from "./session-view.ts";
export { sentMessages, type SentMessage } from "./sent-messages.ts";
export {
  messageCount,
  messagesOf,
  PAGE_SIZE,
  transcript,
  type Transcript,
  type TranscriptCall,
  type TranscriptMessage,
  type TranscriptPage,
  type TranscriptResult,
  type TranscriptSummary,
} from "./transcript.ts";
export type { EventMessage, LivePiece, SessionEvent, SessionEventBody } from "./session-event.ts";
export { noEvents, storyOf, tellFact, tellLive, type EventState } from "./session-events.ts";
export {
  childrenOf,
  supervisionTree,
  type SupervisedChild,
  type SupervisionNode,
  type SupervisionView,
} from "./supervision-tree.ts";
export {
  extensionRegistry,
  type ExtensionRegistryView,
  type LoadView,
  type QuarantineView,
} from "./extension-registry.ts";
export {
  buildStatusReport,
  type ExtensionStatusReport,
  type ReportedDisclosure,
  type ReportedExtension,
  type ReportedLoadError,
  type ReportedProviders,
  type ReportedSource,
  type ReportedToolConflicts,
  type ReportedWasm,
  type StatusReportParts,
} from "./extension-status-report.ts";
export {
  noReport,
  reportDetails,
  reportMarkdown,
  reportTitle,
  type ReportDetails,
  type ReportStyle,
} from "./extension-status-markdown.ts";
export {
  fallbackDetails,
  fallbackMarkdown,
  fallbackReloadRefusal,
  fallbackTitle,
  type FallbackReason,
  type FallbackStatus,
} from "./extension-status-fallback.ts";
export { loadReport, type LoadReportExtras } from "./load-report.ts";
export { approvalsIn, type PendingApproval } from "./pending-approvals.ts";
export {
  backgroundRunFacts,
  backgroundRunStatuses,
  backgroundRunView,
  isFinalRun,
  type BackgroundRunStatus,
  type BackgroundRunView,
} from "./background-run.ts";
export {
  hookAccount,
  type ApprovalAccount,
  type CallAccount,
  type CallOutcome,
  type HandlerAccount,
  type HookAccount,
} from "./hook-account.ts";
export {
  actionableTodos,
  allTodosCompleted,
  blockingTodos,
  todoProblems,
  todoProgress,
  todos,
  type Todo,
  type TodoProgress,
} from "./todos.ts";
export {
  actionable,
  dependencyProblems,
  percentage,
  type DependencyProblem,
  type WorkItem,
} from "./work-order.ts";
export { featureFile, type FeatureFileView, type FeatureStatusView } from "./feature-file.ts";
export {
  beyondRetention,
  checkpointCounts,
  checkpoints,
  newestFirst,
  type CheckpointCounts,
  type Checkpoints,
  type RetentionLimits,
  type StoredCheckpoint,
} from "./checkpoints.ts";
export {
  fileHistoryTypes,
  heldAt,
  ledgerOf,
  madeDirectoriesOf,
  isSameContent,
  writesOf,
  type FileWrite,
  type MadeDirectory,
  type PathContent,
} from "./file-history.ts";
export {
  SessionTally,
  tallyVersion,
  type CheckpointState,
  type FileState,
  type StoredTally,
  type TallyView,
  type ToolUse,
} from "./session-tally.ts";
export {
  hasTaskEnded,
  isTaskEnd,
  tasks,
  taskStatusOf,
  type StoredTask,
  type TaskEnd,
  type Tasks,
  type TaskStatus,
} from "./tasks.ts";
