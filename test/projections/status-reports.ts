import {
  buildStatusReport,
  type ExtensionStatusReport,
  type ReportedDisclosure,
  type ReportedExtension,
  type ReportedToolConflicts,
  type StatusReportParts,
} from "../../src/projections/index.ts";

/** An extension under its module. */
export function extension(module: string, more: Partial<ReportedExtension> = {}): ReportedExtension {
  return {
    name: module,
    version: "1.0.0",
    module,
    sourcePath: `/ext/${module}.ts`,
    capabilities: [],
    configSchema: {},
    ...more,
  };
}

/** Counts without any conflict. */
export function tools(more: Partial<ReportedToolConflicts> = {}): ReportedToolConflicts {
  return {
    conflicts: [],
    totalTools: 17,
    builtinCount: 16,
    wasmCount: 0,
    extensionCount: 1,
    mcpCount: 0,
    shadowedCount: 0,
    loadErrors: [],
    wasm: null,
    ...more,
  };
}

/** Disclosure that is off. */
export function disclosure(more: Partial<ReportedDisclosure> = {}): ReportedDisclosure {
  return {
    active: false,
    reason: "under_budget",
    estimatedTokens: 12_000,
    budgetTokens: 40_000,
    totalTools: 17,
    disclosedCount: 17,
    hiddenCount: 0,
    disclosedNames: [],
    hiddenNames: [],
    catalogTier: "inactive",
    shadowedByBridge: [],
    ...more,
  };
}

/** A report of nothing but what is given. */
export function report(parts: Partial<StatusReportParts> = {}): ExtensionStatusReport {
  return buildStatusReport({ extensions: [], loadErrors: [], loadedAt: 1_706_715_000_000, ...parts });
}

/** A file that could not be loaded. */
export function loadError(sourcePath: string, errorMessage = "Syntax error at line 1: no") {
  return { sourcePath, error: { name: "SyntaxError", message: "no" }, errorMessage };
}
