/** A status report as the tool `extensions_status` shows it. docs/reference/status-report.md, "As text" */
import type {
  ExtensionStatusReport,
  ReportedDisclosure,
  ReportedToolConflicts,
  ReportedWasm,
} from "./extension-status-report.ts";
import {
  disclosureLines,
  extensionLines,
  item,
  loadErrorLines,
  overriddenLines,
  quarantinedLines,
  section,
  toolLines,
  validationErrorLines,
  wasmLines,
} from "./extension-status-sections.ts";
import { utcTime } from "./utc-time.ts";

/** How a report is shown. Both default to false. */
export interface ReportStyle {
  /** Source, module and schema of each extension, and the names of tools. */
  readonly includeDetails?: boolean;
  /** It is the answer to a reload. */
  readonly reloaded?: boolean;
}

/** What goes with the text, for programs. */
export interface ReportDetails {
  readonly title: string;
  readonly totalLoaded: number;
  readonly totalErrors: number;
  readonly totalValidationErrors: number;
  readonly toolConflicts: ReportedToolConflicts | null;
  readonly wasm: ReportedWasm | null;
  readonly toolDisclosure: ReportedDisclosure | null;
  /** Only after a reload. */
  readonly action?: "reload";
}

/** What is shown where a session has no report. */
export const noReport = { text: "No extension status report available.", title: "No report" } as const;

/** The report as Markdown: a summary, then a section for each thing that there is. */
export function reportMarkdown(report: ExtensionStatusReport, style: ReportStyle = {}): string {
  const { includeDetails = false, reloaded = false } = style;
  const { totalValidationErrors } = report;
  const summary = [
    item("Extensions loaded", report.totalLoaded),
    item("Load errors", report.totalErrors),
    ...(totalValidationErrors === 0 ? [] : [item("Validation errors", totalValidationErrors)]),
    item(reloaded ? "Reloaded at" : "Loaded at", utcTime(report.loadedAt)),
  ];
  return [
    reloaded ? "# Extensions Reloaded" : "# Extension Status Report",
    summary.join("\n"),
    ...section("## Loaded Extensions", extensionLines(report.extensions, includeDetails)),
    ...section("## Load Errors", loadErrorLines(report.loadErrors)),
    ...section("## Validation Errors", validationErrorLines(report.validationErrors)),
    ...section("## Overridden", overriddenLines(report.overridden)),
    ...section("## Quarantined", quarantinedLines(report.quarantined)),
    ...section("## Tool Registry", toolLines(report.toolConflicts)),
    ...section("## WASM Runtime", wasmLines(report.wasm)),
    ...section("## Tool Disclosure", disclosureLines(report.toolDisclosure, includeDetails)),
  ].join("\n\n");
}

/** The report in a few words: errors before shadowed tools before all is well. */
export function reportTitle(
  report: ExtensionStatusReport,
  style: Pick<ReportStyle, "reloaded"> = {},
): string {
  const { totalLoaded, totalErrors, toolConflicts } = report;
  const shadowedCount = toolConflicts?.shadowedCount ?? 0;
  const prefix = style.reloaded === true ? "Reloaded: " : "";
  if (totalErrors > 0) return `${prefix}${totalLoaded} loaded, ${totalErrors} errors`;
  if (shadowedCount > 0) return `${prefix}${totalLoaded} loaded, ${shadowedCount} conflicts`;
  return style.reloaded === true ? `${prefix}${totalLoaded} extensions` : `${totalLoaded} extensions loaded`;
}

/** The `details` of the tool's result. */
export function reportDetails(
  report: ExtensionStatusReport,
  style: Pick<ReportStyle, "reloaded"> = {},
): ReportDetails {
  const { totalLoaded, totalErrors, totalValidationErrors, toolConflicts, wasm, toolDisclosure } = report;
  return {
    title: reportTitle(report, style),
    totalLoaded,
    totalErrors,
    totalValidationErrors,
    toolConflicts,
    wasm,
    toolDisclosure,
    ...(style.reloaded === true ? { action: "reload" } : {}),
  };
}
