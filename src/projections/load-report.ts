/** The status report of a load: what the registry's facts add up to, and nothing else. */
import { byCodePoint } from "../events/index.ts";
import type { LoadView, QuarantineView } from "./extension-registry.ts";
import {
  buildStatusReport,
  type ExtensionStatusReport,
  type ReportedProviders,
  type ReportedToolConflicts,
} from "./extension-status-report.ts";

/** What goes into a report beside the facts of its load. */
export interface LoadReportExtras {
  readonly zombies: ExtensionStatusReport["zombies"];
  /** The session was given its tools: built-in ones are not there, and equal names are no conflict. */
  readonly isCustom: boolean;
}

/** The report of a load, as of the facts that its view has seen. */
export function loadReport(
  view: LoadView,
  quarantined: readonly QuarantineView[],
  { zombies, isCustom }: LoadReportExtras = { zombies: [], isCustom: false },
): ExtensionStatusReport {
  const loadErrors = view.loadErrors.map(({ sourcePath, error, errorMessage }) => ({
    sourcePath,
    error,
    errorMessage,
  }));
  const conflicts = toolConflicts(view, loadErrors);
  return buildStatusReport({
    ...view,
    loadErrors,
    quarantined: quarantined.map(({ module, reason, since, restarts }) => ({
      module,
      reason,
      since,
      restarts,
    })),
    zombies,
    toolConflicts: isCustom ? { ...conflicts, ...customCounts(view) } : conflicts,
    providerRegistration: providers(view),
  });
}

function toolConflicts(
  { builtIn, tools, shadowed }: LoadView,
  loadErrors: ReportedToolConflicts["loadErrors"],
): ReportedToolConflicts {
  const byName = new Map<string, ReportedToolConflicts["conflicts"][number]>();
  for (const { name, winner, loser } of shadowed) {
    const known = byName.get(name)?.shadowed ?? [];
    byName.set(name, { toolName: name, winner, shadowed: [...known, loser] });
  }
  const lost = (kind: "builtin" | "extension"): number =>
    shadowed.filter(({ loser }) => (loser === "builtin" ? "builtin" : loser.kind) === kind).length;
  const builtinCount = builtIn.length - lost("builtin");
  const extensionCount = tools.length - lost("extension");
  return {
    conflicts: [...byName.values()].toSorted((a, b) => byCodePoint(a.toolName, b.toolName)),
    totalTools: builtinCount + extensionCount,
    builtinCount,
    wasmCount: 0,
    extensionCount,
    mcpCount: 0,
    shadowedCount: shadowed.length,
    loadErrors,
    wasm: null,
  };
}

function customCounts({ tools }: LoadView): Partial<ReportedToolConflicts> {
  const extensionCount = new Set(tools.map(({ name }) => name)).size;
  return { conflicts: [], totalTools: extensionCount, builtinCount: 0, extensionCount, shadowedCount: 0 };
}

function providers({ registered, conflicts }: LoadView): ReportedProviders {
  return {
    registered: registered.map(({ type, name, module }) => ({
      type,
      name,
      module: `${module}#${name}`,
      extension: module,
    })),
    conflicts: conflicts.map(({ type, name, winner, shadowed }) => ({ type, name, winner, shadowed })),
    totalRegistered: registered.length,
    totalConflicts: conflicts.length,
  };
}
