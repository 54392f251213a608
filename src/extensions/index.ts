/** What others add: how an extension is written, found, loaded and asked. */
export { builtFile } from "./built-file.ts";
export {
  defineExtension,
  type ExtensionDefinition,
  type MemberOptions,
  type ProviderDefinition,
} from "./define.ts";
export {
  hookNames,
  type AdditionalContext,
  type HookHandlers,
  type HookMessage,
  type HookName,
  type HookTable,
  type HookToolResult,
  type SessionShutdownEvent,
  type SessionStartEvent,
  type ToolCallAnswer,
  type ToolCallEvent,
  type ToolResultAnswer,
  type ToolResultEvent,
} from "./hooks.ts";
export {
  type CollectedProvider,
  type Collection,
  type Description,
  type ExtensionHost,
  type ExtensionSettings,
  type HandlerFailure,
  type HandlerOutcome,
  type HostEvents,
  type LoadError,
  type MemberErrors,
  type MemberName,
  type RestartCause,
  type RunHooksOptions,
  type Zombie,
} from "./port.ts";
export {
  discover,
  keepLast,
  searchRoots,
  untrustedWarning,
  type Discovery,
  type ExtensionFile,
  type OverriddenModule,
  type SearchOptions,
  type SearchRoot,
} from "./discovery/index.ts";
export { findManifests, readManifest, type ManifestReport } from "./manifest/index.ts";
export { lookAround, redact, type ExtensionDiagnostics } from "./diagnostics/index.ts";
export { redactSettings, settingsOf, type SettingSecret, type SettingsOutcome } from "./settings/index.ts";
export type {
  ExtensionInfo,
  LoadedExtension,
  LoadOutcome,
  ValidationError,
  ValidationWarning,
} from "./loaded.ts";
export { byModule, loadExtensions, type LoadParts, type LoadSource } from "./load.ts";
export { HostPool } from "./host-pool.ts";
export { bundleExtension } from "./bundle/bundle.ts";
export { pruneCache } from "./bundle/cache.ts";
export { createHostWorld, type HostWorld } from "./host/world.ts";
export { workerHost } from "./host/worker-host.ts";
export { inProcessHost, moduleOf as objectModule } from "./in-process/host.ts";
