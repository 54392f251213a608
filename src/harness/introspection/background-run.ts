/** What of a background run people watch for, told without content. Pure. docs/reference/introspection.md, "What is recorded" */
import type { FactType } from "../../events/index.ts";
import { isFinalRun, type BackgroundRunView } from "../../projections/index.ts";
import { errorCodeOf, sessionKeyOf } from "../background/summary.ts";
import type { IntrospectionDraft } from "./record.ts";

/**
 * The record of the first start of a run, and of its end; `null` for any other fact.
 *
 * @param view - the run with the fact
 */
export function recordOfRun(id: string, type: FactType, view: BackgroundRunView): IntrospectionDraft | null {
  const attempt = view.start?.attempt ?? 0;
  const { status, ranMs } = view;
  const isStart = type === "background_run.started" && attempt === 1;
  if (!isStart && !isFinalRun(view)) return null;
  return {
    eventType: isStart ? "background_run_started" : "background_run_ended",
    runId: null,
    sessionId: id,
    sessionKey: sessionKeyOf(id),
    agentId: view.queued?.agentId ?? null,
    parentRunId: null,
    provenance: "direct",
    payload: isStart ? { attempt } : { status, errorCode: errorCodeOf(view), attempt, elapsedMs: ranMs },
  };
}
