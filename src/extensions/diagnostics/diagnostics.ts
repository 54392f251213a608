/**
 * What may leave this machine about extensions: counts, words of closed lists, and hashes. No path, no name, no URL, no
 * text of a file or an error. Runs no code of an extension. docs/reference/manifests.md
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Config } from "../../config/index.ts";
import { hash16 } from "../../tools/index.ts";
import { defaultFolders, resolveEntries } from "../discovery/index.ts";
import type { ManifestReport } from "../manifest/index.ts";
import { directoryContent, type DirectoryContent } from "./directory.ts";
import { hostRuntime, type HostRuntime } from "./host-runtime.ts";

/** Capabilities that are counted by their name; all others are counted as `other`, for they may be anybody's words. */
const CAPABILITIES = new Set(
  "tools hooks prompts resources mcp memory_provider model_provider search_provider".split(" "),
);

/** Where to look, and what is configured. */
export interface DiagnosticsOptions {
  readonly config: Config;
  readonly home: string;
  readonly cwd: string;
  /** What `~` stands for. Default: the user's home directory. */
  readonly userHome?: string | undefined;
  /** Default: no. */
  readonly isWasmEnabled?: boolean;
}

type Counts = Readonly<Record<string, number>>;

/** A manifest, redacted. */
export interface ManifestDiagnostics {
  readonly fileHash: string;
  readonly valid: boolean;
  readonly byteSize: number;
  readonly errorCount: number;
  readonly errorHashes: readonly string[];
  readonly capabilities: readonly string[];
  readonly providerTypes: readonly string[];
  readonly hostTypes: readonly string[];
  readonly distributionSources: readonly string[];
  readonly auditStatuses: readonly string[];
}

/** A folder, redacted. */
export interface DirectoryDiagnostics {
  readonly pathHash: string;
  readonly exists: boolean;
  readonly extensionFileCount: number;
  readonly extensionFileHashes: readonly string[];
  readonly nestedLibFileCount: number;
  readonly manifestCount: number;
  readonly manifests: readonly ManifestDiagnostics[];
}

/** The content of `extension_diagnostics.json`. */
export interface ExtensionDiagnostics {
  /** The user's folder, the project's, then what is configured. */
  readonly directories: readonly DirectoryDiagnostics[];
  readonly directoryCount: number;
  readonly existingDirectoryCount: number;
  readonly extensionFileCount: number;
  readonly manifestCount: number;
  readonly validManifestCount: number;
  readonly invalidManifestCount: number;
  readonly configuredExtensionPathCount: number;
  readonly capabilityCounts: Counts;
  readonly providerTypeCounts: Counts;
  readonly hostTypeCounts: Counts;
  readonly distributionSourceCounts: Counts;
  readonly auditStatusCounts: Counts;
  readonly execution: {
    readonly enabled: boolean;
    readonly configuredExtensionPathCount: number;
    readonly defaultDirectoryCount: 2;
    readonly autoLoadDefaultPaths: boolean;
    readonly defaultDirectoriesDiagnosticsOnly: boolean;
    readonly diagnosticsLoadsExtensionCode: false;
  };
  readonly hostRuntime: HostRuntime;
  readonly cleanup: typeof cleanup;
}

const cleanup = {
  includesRawSourcePaths: false,
  includesFileContents: false,
  includesLoadErrorMessages: false,
  includesManifestContents: false,
  includesDistributionUrls: false,
  loadsExtensionCode: false,
} as const;

/** Looks at all folders that extensions may lie in. Opens manifests and package.json files, and no extension. */
export async function extensionDiagnostics(options: DiagnosticsOptions): Promise<ExtensionDiagnostics> {
  return redact(await lookAround(options), options);
}

/** The folders themselves, for a report that stays on this machine. */
export async function lookAround({
  config,
  home,
  cwd,
  userHome,
}: DiagnosticsOptions): Promise<readonly DirectoryContent[]> {
  const configured = resolveEntries(config.runtime.extensionPaths, { cwd, userHome });
  const standard = defaultFolders(home, cwd).map((folder) => path.resolve(folder));
  const places = [...new Set([...standard, ...configured])];
  return Promise.all(
    places.map(async (place) => {
      const exists = await stat(place).then(
        () => true,
        () => false,
      );
      return directoryContent(place, exists);
    }),
  );
}

/** What may leave this machine of these folders. */
export function redact(
  directories: readonly DirectoryContent[],
  { config, isWasmEnabled = false }: Pick<DiagnosticsOptions, "config" | "isWasmEnabled">,
): ExtensionDiagnostics {
  const { enabled, autoLoadDefaultPaths } = config.runtime.extensions;
  const configuredExtensionPathCount = config.runtime.extensionPaths.length;
  // Folders may lie in each other: a file counts once.
  const files = new Set(directories.flatMap((directory) => directory.files));
  const manifests = [
    ...new Map(
      directories.flatMap((directory) => directory.manifests).map((manifest) => [manifest.path, manifest]),
    ).values(),
  ];
  const valid = manifests.filter((manifest) => manifest.valid).length;
  const hostTypeCounts = countOf(manifests.map((manifest) => manifest.hostTypes));
  return {
    directories: directories.map(redactDirectory),
    directoryCount: directories.length,
    existingDirectoryCount: directories.filter(({ exists }) => exists).length,
    extensionFileCount: files.size,
    manifestCount: manifests.length,
    validManifestCount: valid,
    invalidManifestCount: manifests.length - valid,
    configuredExtensionPathCount,
    capabilityCounts: countOf(manifests.map(({ capabilities }) => capabilities.map(knownCapability))),
    providerTypeCounts: countOf(manifests.map((manifest) => manifest.providerTypes)),
    hostTypeCounts,
    distributionSourceCounts: countOf(manifests.map((manifest) => manifest.distributionSources)),
    auditStatusCounts: countOf(manifests.map((manifest) => manifest.auditStatuses)),
    execution: {
      enabled,
      configuredExtensionPathCount,
      defaultDirectoryCount: 2,
      autoLoadDefaultPaths,
      defaultDirectoriesDiagnosticsOnly: !autoLoadDefaultPaths,
      diagnosticsLoadsExtensionCode: false,
    },
    hostRuntime: hostRuntime(hostTypeCounts, {
      isEnabled: enabled,
      isLoading: configuredExtensionPathCount > 0 || autoLoadDefaultPaths,
      isWasmEnabled,
    }),
    cleanup,
  };
}

function redactDirectory(directory: DirectoryContent): DirectoryDiagnostics {
  return {
    pathHash: hash16(directory.path),
    exists: directory.exists,
    extensionFileCount: directory.files.length,
    extensionFileHashes: directory.files.map((file) => hash16(file)),
    nestedLibFileCount: directory.nestedLibFileCount,
    manifestCount: directory.manifests.length,
    manifests: directory.manifests.map(redactManifest),
  };
}

function redactManifest(manifest: ManifestReport): ManifestDiagnostics {
  const { valid, byteSize, errors, providerTypes, hostTypes, distributionSources, auditStatuses } = manifest;
  return {
    fileHash: manifest.pathHash,
    valid,
    byteSize,
    errorCount: errors.length,
    errorHashes: errors.map((error) => hash16(error)),
    capabilities: [...new Set(manifest.capabilities.map(knownCapability))],
    providerTypes,
    hostTypes,
    distributionSources,
    auditStatuses,
  };
}

function knownCapability(capability: string): string {
  return CAPABILITIES.has(capability) ? capability : "other";
}

/** How often each value occurs, by name. */
function countOf(lists: readonly (readonly string[])[]): Counts {
  const counts = new Map<string, number>();
  for (const value of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
