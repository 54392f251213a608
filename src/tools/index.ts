/**
 * What an agent can do: the contract of tools, arguments, results, the registry and the built-in tools.
 */
export type {
  BuiltInContext,
  BuiltInTool,
  ContentBlock,
  ExtensionControl,
  ImageBlock,
  JsonSchema,
  ProcessIdentity,
  TaskControl,
  TaskReport,
  TextBlock,
  TodoControl,
  Tool,
  ToolContext,
  ToolResult,
  ToolUpdate,
} from "./tool.ts";
export {
  type ArgumentsOutcome,
  type ArgumentsProblem,
  type ToolArguments,
  type ToolParameters,
  checkArguments,
  parseArguments,
  readArguments,
} from "./arguments.ts";
export { type AnyToolDefinition, type ToolDefinition, defineTool } from "./define.ts";
export type { ArgumentsOf } from "./infer.ts";
export { type NormalisedTool, normaliseTool, schemaProblem } from "./normalise.ts";
export type { SchemaOutcome } from "./schema.ts";
export {
  type ResultOutcome,
  aborted,
  checkResult,
  errorResult,
  extensionQuarantined,
  taskCrashed,
  taskStartFailed,
  taskTimeout,
  ToolDeadlineError,
  ToolFailure,
  toolException,
  unexpectedResult,
  unknownTool,
} from "./result.ts";
export {
  type ExtensionTool,
  type FoundTool,
  type McpTool,
  type RegisteredTool,
  type RegistryOptions,
  type ShadowedTool,
  type ToolRegistry,
  type WasmTool,
  createRegistry,
  droppedExtraWarning,
} from "./registry.ts";
export {
  type Resolution,
  type ToolCandidate,
  type ToolCollision,
  conflictWarning,
  resolveTools,
} from "./resolve.ts";
export {
  type ProvidedTool,
  type ToolConflict,
  type ToolConflictReport,
  findDuplicateTools,
  toolConflictReport,
} from "./conflicts.ts";
export { type ToolKind, type ToolSource, sourceLabel, wasmId } from "./tool-source.ts";
export {
  type ExceptionKind,
  type ObservedCall,
  observeExtensionTool,
  publishNameNormalized,
} from "./telemetry.ts";
export { hash16 } from "./hash16.ts";
export { planRegistry } from "./plan/registry.ts";
export { builtInTools } from "./built-in/index.ts";
export { ajvFor, type SchemaFault } from "./validator.ts";
export {
  approvalModeOf,
  isRemoved,
  modeOf,
  openPolicy,
  type SpokenToolPolicy,
  type ToolPolicy,
} from "./policy.ts";
export {
  fromAiSdkTool,
  fromMcpTool,
  type AiSdkTool,
  type ForeignTraits,
  type McpCaller,
  type McpToolDescription,
} from "./foreign.ts";
export { toAiSdkTool, type ToolForAiSdk } from "./to-ai-sdk.ts";
