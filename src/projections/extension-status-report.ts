/**
 * How the extensions of a session are doing: one report for screens, programs and the model. Plain JSON.
 * docs/reference/status-report.md
 */
import { byCodePoint, type Json } from "../events/index.ts";

/** An extension that is loaded and valid. */
export interface ReportedExtension {
  readonly name: string;
  readonly version: string;
  readonly module: string;
  /** `null` for an object of the program. */
  readonly sourcePath: string | null;
  readonly capabilities: readonly string[];
  readonly configSchema: Readonly<Record<string, unknown>>;
}

/** A file that could not be loaded. */
export interface ReportedLoadError {
  readonly sourcePath: string;
  readonly error: Readonly<Record<string, unknown>>;
  readonly errorMessage: string;
}

/** Where a tool comes from. */
export type ReportedSource = "builtin" | { readonly kind: "wasm" | "extension" | "mcp"; readonly id: string };

/** Who won the names of tools. docs/reference/tools.md, "The conflict report" */
export interface ReportedToolConflicts {
  readonly conflicts: readonly {
    readonly toolName: string;
    readonly winner: ReportedSource;
    readonly shadowed: readonly ReportedSource[];
  }[];
  readonly totalTools: number;
  readonly builtinCount: number;
  readonly wasmCount: number;
  readonly extensionCount: number;
  readonly mcpCount: number;
  readonly shadowedCount: number;
  readonly loadErrors: readonly ReportedLoadError[];
  readonly wasm: ReportedWasm | null;
}

/** Who won the names of providers. docs/reference/providers.md, "Who is registered" */
export interface ReportedProviders {
  readonly registered: readonly {
    readonly type: string;
    readonly name: string;
    readonly module: string;
    readonly extension: string;
  }[];
  readonly conflicts: readonly {
    readonly type: string;
    readonly name: string;
    readonly winner: string;
    readonly shadowed: readonly string[];
  }[];
  readonly totalRegistered: number;
  readonly totalConflicts: number;
}

/** State of the WASM plugins. */
export interface ReportedWasm {
  readonly enabled: boolean;
  readonly running: boolean;
  readonly helloOk: boolean;
  readonly runtimePath: string | null;
  readonly toolCount: number;
  readonly toolNames: readonly string[];
  readonly discoverWarnings: readonly string[];
  readonly discoverErrors: readonly string[];
  readonly build: Json;
  readonly policy: Json;
  readonly fuel: string | null;
  /** Why it is not enabled. */
  readonly reason: string | null;
}

/** Which tools the model is shown, and which it has to search for. */
export interface ReportedDisclosure {
  readonly active: boolean;
  readonly reason: string | null;
  readonly estimatedTokens: number;
  readonly budgetTokens: number;
  readonly totalTools: number;
  readonly disclosedCount: number;
  readonly hiddenCount: number;
  readonly disclosedNames: readonly string[];
  readonly hiddenNames: readonly string[];
  readonly catalogTier: "inline" | "names" | "search_only" | "inactive";
  /** Tools that gave way to the tools which search and call others. */
  readonly shadowedByBridge: readonly string[];
}

/** What a report is made of. Only the first three are always known. */
export interface StatusReportParts {
  readonly extensions: readonly ReportedExtension[];
  readonly loadErrors: readonly ReportedLoadError[];
  /** Epoch milliseconds; `null` before any load. */
  readonly loadedAt: number | null;
  readonly validationErrors?: ExtensionStatusReport["validationErrors"];
  readonly validationWarnings?: ExtensionStatusReport["validationWarnings"];
  readonly overridden?: ExtensionStatusReport["overridden"];
  readonly quarantined?: ExtensionStatusReport["quarantined"];
  readonly zombies?: ExtensionStatusReport["zombies"];
  readonly searchPaths?: ExtensionStatusReport["searchPaths"];
  readonly mcp?: ExtensionStatusReport["mcp"];
  readonly toolConflicts?: ReportedToolConflicts | null;
  readonly providerRegistration?: ReportedProviders | null;
  readonly wasm?: ReportedWasm | null;
  readonly toolDisclosure?: ReportedDisclosure | null;
}

/**
 * The report. Lists are sorted by module, source path or server; `searchPaths` are in search order.
 *
 * An alias, since a fact's data must have an index signature, which an interface never has.
 */
export type ExtensionStatusReport = {
  readonly extensions: readonly ReportedExtension[];
  readonly loadErrors: readonly ReportedLoadError[];
  readonly validationErrors: readonly {
    readonly module: string;
    readonly sourcePath: string | null;
    readonly errors: readonly string[];
  }[];
  readonly validationWarnings: readonly {
    readonly module: string;
    readonly sourcePath: string | null;
    readonly warnings: readonly string[];
  }[];
  /** Files that another one with their module took the place of; `null` for an object. */
  readonly overridden: readonly {
    readonly module: string;
    readonly sourcePath: string | null;
    readonly keptSourcePath: string | null;
  }[];
  /** Extensions that ended too often and do nothing until a reload. */
  readonly quarantined: readonly {
    readonly module: string;
    readonly reason: string;
    /** Epoch milliseconds. */
    readonly since: number;
    readonly restarts: number;
  }[];
  /** Threads that were told to end and have not. */
  readonly zombies: readonly { readonly module: string; readonly since: number }[];
  readonly searchPaths: readonly {
    readonly path: string;
    readonly origin: "configured" | "global" | "project" | "option";
    readonly exists: boolean;
  }[];
  /** `null` when nobody looked. */
  readonly toolConflicts: ReportedToolConflicts | null;
  readonly providerRegistration: ReportedProviders | null;
  readonly mcp: readonly {
    readonly server: string;
    readonly status: "connected" | "failed" | "disabled";
    readonly toolCount: number;
    readonly error: string | null;
  }[];
  /** `null` unless WASM is configured. */
  readonly wasm: ReportedWasm | null;
  readonly toolDisclosure: ReportedDisclosure | null;
  /** Valid extensions, those in quarantine included. */
  readonly totalLoaded: number;
  /** Files that could not be loaded. */
  readonly totalErrors: number;
  readonly totalValidationErrors: number;
  /** Epoch milliseconds. */
  readonly loadedAt: number | null;
};

/** Puts a report together: lists in their order, and counted. */
export function buildStatusReport(parts: StatusReportParts): ExtensionStatusReport {
  const { validationErrors = [], validationWarnings = [], overridden = [] } = parts;
  return {
    // What a caller's object has besides is not for everybody who sees a report.
    extensions: parts.extensions
      .map(({ name, version, module, sourcePath, capabilities, configSchema }) => ({
        name,
        version,
        module,
        sourcePath,
        capabilities,
        configSchema,
      }))
      .toSorted(byModule),
    loadErrors: parts.loadErrors.toSorted(bySourcePath),
    validationErrors: validationErrors.toSorted(bySourcePath),
    validationWarnings: validationWarnings.toSorted(bySourcePath),
    overridden: overridden.toSorted(byModule),
    quarantined: (parts.quarantined ?? []).toSorted(byModule),
    zombies: (parts.zombies ?? []).toSorted(byModule),
    searchPaths: parts.searchPaths ?? [],
    toolConflicts: parts.toolConflicts ?? null,
    providerRegistration: parts.providerRegistration ?? null,
    mcp: (parts.mcp ?? []).toSorted((a, b) => byCodePoint(a.server, b.server)),
    wasm: parts.wasm ?? null,
    toolDisclosure: parts.toolDisclosure ?? null,
    totalLoaded: parts.extensions.length,
    totalErrors: parts.loadErrors.length,
    totalValidationErrors: validationErrors.length,
    loadedAt: parts.loadedAt,
  };
}

interface Sourced {
  readonly module?: string;
  readonly sourcePath?: string | null;
}

function byModule(a: Sourced, b: Sourced): number {
  return byCodePoint(a.module ?? "", b.module ?? "") || byCodePoint(a.sourcePath ?? "", b.sourcePath ?? "");
}

function bySourcePath(a: Sourced, b: Sourced): number {
  return byCodePoint(a.sourcePath ?? "", b.sourcePath ?? "") || byCodePoint(a.module ?? "", b.module ?? "");
}
