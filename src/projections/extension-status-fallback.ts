/** What can be said of extensions where there is no session. docs/reference/status-report.md, "Without a session" */
import { byCodePoint } from "../events/index.ts";
import type {
  ReportedExtension,
  ReportedLoadError,
  ReportedToolConflicts,
} from "./extension-status-report.ts";
import { extensionLines, item, loadErrorLines, section, toolLines } from "./extension-status-sections.ts";
import { utcTime } from "./utc-time.ts";

/** Why there is no session to ask. */
export type FallbackReason = "no session context" | "session not found";

/** What is known without one. */
export interface FallbackStatus {
  readonly extensions: readonly ReportedExtension[];
  /** Of the newest load. */
  readonly loadErrors: readonly ReportedLoadError[];
  /** Epoch milliseconds; `null` before any load. */
  readonly loadedAt: number | null;
  /** For the current working directory. */
  readonly toolConflicts: ReportedToolConflicts | null;
}

/** What is known as Markdown. */
export function fallbackMarkdown(
  status: FallbackStatus,
  reason: FallbackReason,
  style: { readonly includeDetails?: boolean } = {},
): string {
  const { loadErrors, loadedAt, toolConflicts } = status;
  const extensions = status.extensions.toSorted((a, b) => byCodePoint(a.module, b.module));
  const summary = [
    item("Extensions loaded", extensions.length),
    item("Load errors", loadErrors.length),
    item("Total tools", toolConflicts?.totalTools ?? 0),
    ...(loadedAt === null ? [] : [item("Last load", utcTime(loadedAt))]),
  ];
  return [
    `# Extension Status Report (${reason})`,
    summary.join("\n"),
    ...section("## Loaded Extensions", extensionLines(extensions, style.includeDetails === true)),
    ...section("## Tool Registry", toolLines(toolConflicts)),
    ...section("## Load Errors", loadErrorLines(loadErrors)),
  ].join("\n\n");
}

/** It in a few words: `2 loaded, 1 errors, 1 conflicts (no session context)`. */
export function fallbackTitle(status: FallbackStatus, reason: FallbackReason): string {
  const loaded = status.extensions.length;
  const errors = status.loadErrors.length;
  const conflicts = status.toolConflicts?.shadowedCount ?? 0;
  const troubles = [
    ...(errors === 0 ? [] : [`${errors} errors`]),
    ...(conflicts === 0 ? [] : [`${conflicts} conflicts`]),
  ];
  const words =
    troubles.length === 0 ? `${loaded} extensions loaded` : [`${loaded} loaded`, ...troubles].join(", ");
  return `${words} (${reason})`;
}

/** The `details` of the tool's result. */
export function fallbackDetails(
  status: FallbackStatus,
  reason: FallbackReason,
): FallbackStatus & { readonly title: string } {
  const { extensions, toolConflicts, loadErrors, loadedAt } = status;
  return { title: fallbackTitle(status, reason), extensions, toolConflicts, loadErrors, loadedAt };
}

/** The text of the error that a reload without a session is. */
export function fallbackReloadRefusal(reason: FallbackReason): string {
  return `Cannot reload extensions: ${reason}`;
}
