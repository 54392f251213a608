import type { FactData } from "../../src/events/index.ts";
import { sessionView } from "../../src/projections/index.ts";

/** A run that was asked for, with nothing special about it. */
export function queuedRun(
  id: string,
  said: Partial<FactData<"background_run.queued">> = {},
): FactData<"background_run.queued"> {
  return {
    id,
    promptSha256: "0".repeat(64),
    cwd: "/somewhere",
    systemPrompt: null,
    settings: { ...sessionView.initial.settings, model: "s/m" },
    parentSessionId: null,
    parentSessionKey: null,
    agentId: null,
    timeoutMs: 60_000,
    onRestart: "resume",
    worker: "detached",
    portable: true,
    ...said,
  };
}
