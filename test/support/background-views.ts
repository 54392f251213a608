import { decideRun, type BackgroundRunDecision, type BackgroundRunEvent } from "../../src/actors/index.ts";
import type { FactData, FactOf, FactType } from "../../src/events/index.ts";
import {
  backgroundRunView,
  project,
  type BackgroundRunStatus,
  type BackgroundRunView,
} from "../../src/projections/index.ts";
import { queuedRun } from "./background-runs.ts";

type Queued = FactData<"background_run.queued">;

/** How a run stands that nobody asked for. */
export const neverQueued: BackgroundRunView = backgroundRunView.initial;

/** A run that waits since `at`. */
export function queuedView(at: number, said: Partial<Queued> = {}): BackgroundRunView {
  const data = queuedRun("bg_0000000000000001", said);
  return folded(neverQueued, { type: "background_run.queued", data }, at);
}

/** A run in this status, which was taken at `at` if it ever was. */
export function viewIn(
  status: BackgroundRunStatus,
  at: number,
  said: Partial<Queued> = {},
): BackgroundRunView {
  const waiting = queuedView(at, said);
  if (status === "queued") return waiting;
  const lease = { key: "a", fence: 1 };
  const running = apply(waiting, { type: "claimed", owner: { pid: 7, host: "h" }, lease }, at);
  const now = at + 100;
  switch (status) {
    case "running":
      return running;
    case "completed": {
      const outcome = { status: "completed", stopReason: "end_turn", error: null, text: "Done." } as const;
      return apply(running, { type: "session_ended", outcome, now }, now);
    }
    case "timeout":
      return apply(running, { type: "time_up", now, partialText: null }, now);
    case "cancelled":
      return apply(running, { type: "cancelled", now, reason: null }, now);
    case "failed":
      return apply(running, { type: "session_failed", class: "start_failed", error: "no", now }, now);
    case "lost":
      return apply(running, { type: "unresolvable", now, seenAt: now }, now);
  }
}

/** The run once what is decided of the event is recorded, at `at`. */
export function apply(
  view: BackgroundRunView,
  event: BackgroundRunEvent,
  at: number = view.updatedAt,
): BackgroundRunView {
  const decision = decideRun(view, event);
  return decision === null ? view : folded(view, decision, at);
}

function folded(
  view: BackgroundRunView,
  { type, data }: Pick<BackgroundRunDecision, "type" | "data"> | { type: FactType; data: unknown },
  at: number,
): BackgroundRunView {
  const fact = { type, data, at, version: view.version + 1 } as unknown as FactOf<FactType>;
  return project(backgroundRunView, view, fact);
}
