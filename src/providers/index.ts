/** Who answers: models behind one port. */
export { ask } from "./ask.ts";
export { contextWindowOf } from "./models/context-window.ts";
export type {
  AssistantPart,
  Model,
  ModelAborted,
  ModelAnswer,
  ModelAnswered,
  ModelCall,
  ModelContext,
  ModelDelta,
  ModelFailed,
  ModelFailure,
  ModelFailureClass,
  ModelFinishReason,
  ModelMessage,
  ModelRequestOptions,
  ModelTool,
  ModelUsage,
  ProviderMetadata,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./models/port.ts";
export { complete, type Completion, type CompletionRequest } from "./complete.ts";
export { canRetry, isRetryable, MAX_ATTEMPTS, retryDelayMs } from "./models/retry-policy.ts";
export { InvalidScriptError, parseScript } from "./models/script.ts";
export type { Script, ScriptedToolCall, ScriptedTurn } from "./models/script.ts";
export { scriptedModel } from "./models/scripted.ts";
export type { LanguageModel } from "./models/ai-sdk.ts";
export type { CompatibleServer, Environment } from "./models/ai-sdk-providers.ts";
export type { ModelProvider, ModelProviderOptions } from "./models/model-provider.ts";
export { resolveModel, UnknownModelError } from "./models/resolve.ts";
export type { ModelSource, ResolveOptions } from "./models/resolve.ts";
export {
  type MemoryDocument,
  type MemoryOptions,
  type MemoryProvider,
  type MemoryScope,
  memoryScopes,
} from "./memory/port.ts";
export {
  createMemory,
  type Memory,
  type MemoryDiagnostics,
  type MemoryParts,
  type MemoryQuery,
  type MemorySource,
} from "./memory/memory.ts";
export { type MemoryConfig, normaliseMemoryConfig } from "./memory/config.ts";
export { localMemory, type LocalMemory } from "./memory/local.ts";
export { MemoryUnavailableError } from "./memory/file.ts";
export type { ExtractedPage, SearchHit, SearchOptions, SearchProvider } from "./search/port.ts";
export {
  createWebSearch,
  inSearchOrder,
  type SearchAnswer,
  type SearchQuery,
  type SearchSource,
  type WebSearch,
  type WebSearchParts,
} from "./search/web-search.ts";
export {
  openLedger,
  register as registerProviders,
  servedBy,
  unregister as unregisterProviders,
  type LedgerEntry,
  type LedgerOutcome,
  type ProviderLedger,
  type ProviderOffer,
  type ProviderUser,
} from "./ledger/ledger.ts";
export type {
  ProviderConflict,
  ProviderKey,
  ProviderReport,
  ProviderType,
  RegisteredProvider,
} from "./ledger/report.ts";
