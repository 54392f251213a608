/**
 * lemon-runtime: coding agents as supervised actors on an append-only log.
 *
 * This page is the public face for programs that embed the runtime. Rooms of their own: `lemon-runtime/events`,
 * `/log`, `/supervision`, `/projections`, `/replay`, `/hooks`, `/testing`.
 */
export { z } from "zod";
export { LemonError, NotFoundError } from "./errors.ts";
export type { Clock, Ids, Logger, Random } from "./ports.ts";
export type { ContentBlock, Fact, FactData, FactType, NewFact, Usage } from "./events/index.ts";
export type { ExtensionStatusReport, SessionEvent, Todo, TodoProgress } from "./projections/index.ts";
export {
  AlreadyStreamingError,
  MailboxFullError,
  NotStreamingError,
  ReplayDivergedError,
  StreamClosedError,
  type Divergence,
} from "./actors/index.ts";
export { SessionBusyError, type EventLog } from "./log/index.ts";
export {
  scriptedModel,
  UnknownModelError,
  InvalidScriptError,
  type LanguageModel,
  type ExtractedPage,
  type MemoryDocument,
  type MemoryOptions,
  type MemoryProvider,
  type MemoryScope,
  type Model,
  type ModelProvider,
  type ModelSource,
  type Script,
  type ScriptedTurn,
  type SearchHit,
  type SearchOptions,
  type SearchProvider,
} from "./providers/index.ts";
export {
  defineExtension,
  type ExtensionDefinition,
  type HookHandlers,
  type HookMessage,
  type HookTable,
  type HookToolResult,
  type ExtensionInfo,
  type LoadError,
  type ProviderDefinition,
  type SessionShutdownEvent,
  type SessionStartEvent,
  type ToolCallAnswer,
  type ToolCallEvent,
  type ToolResultAnswer,
  type ToolResultEvent,
  type ValidationError,
} from "./extensions/index.ts";
export {
  defineTool,
  fromAiSdkTool,
  fromMcpTool,
  toAiSdkTool,
  type AiSdkTool,
  type ForeignTraits,
  type McpCaller,
  type McpToolDescription,
  type ToolContext,
  type ToolDefinition,
  type ToolForAiSdk,
  type ToolPolicy,
  type ToolResult,
  type ToolUpdate,
} from "./tools/index.ts";
export {
  FeatureError,
  JsonDecodeError,
  type Feature,
  type FeatureDocument,
  type FeatureDocumentInput,
  type FeatureProgress,
  type Features,
  type FeatureSource,
  type GeneratedFeatures,
  type GenerateOptions,
} from "./harness/index.ts";
export { InvalidConfigError, type Config, type ConfigOverrides } from "./config/index.ts";
export type { ReplayReport, SessionSummary, StateAt } from "./replay/index.ts";
export {
  AbortedError,
  CaptureError,
  CheckpointError,
  createRuntime,
  EmptyPromptError,
  InvalidPromptError,
  InvalidSessionIdError,
  InvalidToolError,
  NoModelError,
  ReloadFailedError,
  Session,
  SessionExistsError,
  SessionFailedError,
  SessionNotFoundError,
  SessionStreamingError,
  TodoError,
  type IntrospectionRecord,
  type Outcome,
  type PendingApproval,
  type ProgressSnapshot,
  type Prompt,
  type Runtime,
  type RuntimeOptions,
  type SessionOptions,
  type SessionState,
  type StartOptions,
  type ToolInfo,
  type CheckpointDiff,
  type CheckpointRecord,
  type CheckpointStats,
  type CheckpointSummary,
  type CreateFilesystemOptions,
  type CreateOptions,
  type FileDiff,
  type RestoreOptions,
  type RestorePoint,
  type RestoreResult,
  type ResumedCheckpoint,
} from "./runtime/index.ts";
