/** What a restore did, added up. */
import type { PathResult, RestoreResult } from "./types.ts";

/** The word for the whole. Nothing to do means that every path was as it should be, none included. */
export function statusOf(results: readonly PathResult[]): RestoreResult["status"] {
  const has = (...outcomes: PathResult["outcome"][]): boolean =>
    results.some(({ outcome }) => outcomes.includes(outcome));
  if (!has("conflict", "failed")) return has("restored") ? "restored" : "nothing_to_do";
  return has("restored") ? "partial" : "failed";
}

/** The result as callers get it. */
export function resultOf(
  ids: Pick<RestoreResult, "checkpointId" | "sessionId" | "preRestoreCheckpointId">,
  results: readonly PathResult[],
): RestoreResult {
  const withOutcome = (wanted: PathResult["outcome"]): string[] =>
    results.filter(({ outcome }) => outcome === wanted).map(({ path }) => path);
  return {
    ...ids,
    status: statusOf(results),
    results,
    restored: withOutcome("restored"),
    unchanged: withOutcome("unchanged"),
    conflicts: withOutcome("conflict"),
    failed: withOutcome("failed"),
  };
}
