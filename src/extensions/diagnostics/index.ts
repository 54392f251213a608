/** What extension folders hold, for support: found without running anything, and redacted before it leaves. */
export type { DirectoryContent } from "./directory.ts";
export {
  type DiagnosticsOptions,
  type DirectoryDiagnostics,
  extensionDiagnostics,
  type ExtensionDiagnostics,
  lookAround,
  type ManifestDiagnostics,
  redact,
} from "./diagnostics.ts";
export type { HostRuntime, HostStatus } from "./host-runtime.ts";
