/** What is told of a background run: no prompt, no text, no path. docs/reference/background-runs.md, "Reading" */
import type { BackgroundRunStatus, BackgroundRunView } from "../../projections/index.ts";

/** Why a run did not complete, in a word for programs. */
export type BackgroundErrorCode =
  | "BACKGROUND_FAILED"
  | "BACKGROUND_START_FAILED"
  | "BACKGROUND_TIMEOUT"
  | "BACKGROUND_CANCELLED"
  | "BACKGROUND_LOST";

/** A run at a glance. Times are epoch milliseconds. */
export interface BackgroundRunSummary {
  readonly id: string;
  readonly status: BackgroundRunStatus;
  /** Equal to `id`: the session that does the work. */
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly parentSessionId: string | null;
  readonly parentSessionKey: string | null;
  /** When it was queued, and when its last fact was recorded. */
  readonly insertedAt: number;
  readonly updatedAt: number;
  /** When it was first given a slot. */
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** Milliseconds of work, over all attempts; stands still when nobody works on it. */
  readonly elapsedMs: number;
  /** 0 before the first. */
  readonly attempt: number;
  readonly resultAvailable: boolean;
  readonly waitingForApproval: boolean;
  readonly filesChangedCount: number;
  readonly errorCode: BackgroundErrorCode | null;
  /** Who works on it now. */
  readonly owner: { readonly pid: number; readonly host: string } | null;
}

/** What a summary takes from elsewhere than the run's own facts. */
export interface SummaryParts {
  readonly elapsedMs: number;
  readonly waitingForApproval: boolean;
  readonly filesChangedCount: number;
}

/** The summary of a run that was queued. */
export function summaryOf(id: string, view: BackgroundRunView, parts: SummaryParts): BackgroundRunSummary {
  const { status, queued, start } = view;
  return {
    id,
    status,
    sessionId: id,
    sessionKey: sessionKeyOf(id),
    parentSessionId: queued?.parentSessionId ?? null,
    parentSessionKey: queued?.parentSessionKey ?? null,
    insertedAt: view.queuedAt,
    updatedAt: view.updatedAt,
    startedAt: view.startedAt,
    completedAt: view.endedAt,
    elapsedMs: parts.elapsedMs,
    attempt: start?.attempt ?? 0,
    resultAvailable: status === "completed",
    waitingForApproval: parts.waitingForApproval,
    filesChangedCount: parts.filesChangedCount,
    errorCode: errorCodeOf(view),
    owner: status === "running" && start !== null ? start.owner : null,
  };
}

/** Under which key the session of a run is known. */
export function sessionKeyOf(id: string): string {
  return `background:${id}`;
}

/** `null` for a run that completed, or goes on. */
export function errorCodeOf({ status, failure }: BackgroundRunView): BackgroundErrorCode | null {
  switch (status) {
    case "queued":
    case "running":
    case "completed":
      return null;
    case "timeout":
      return "BACKGROUND_TIMEOUT";
    case "cancelled":
      return "BACKGROUND_CANCELLED";
    case "lost":
      return "BACKGROUND_LOST";
    case "failed":
      return failure === "start_failed" ? "BACKGROUND_START_FAILED" : "BACKGROUND_FAILED";
  }
}
