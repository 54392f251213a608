/**
 * What becomes of a background run. Pure: from how it stands and what happened, to the fact that tells it and to what
 * that does to its place in line. docs/reference/background-runs.md, "Lifecycle"
 *
 * A run's stream is led by nobody. Whoever has something to say of it (its owner, another process that finds its owner
 * gone, a caller who cancels) decides here and appends at the version that he decided on; the first one is right, and
 * the others decide again. So no decision may rest on anything but the view and the event.
 */
import type { FactData, FactType } from "../../events/index.ts";
import { isFinalRun, type BackgroundRunView } from "../../projections/index.ts";

/** After so many losses the next one is final. */
const MAX_LOSSES = 3;

/** Characters of the reason for a cancel that are kept. */
const MAX_REASON_CHARS = 500;

/** How the session of a run ended. */
export interface RunOutcome {
  readonly status: "completed" | "aborted" | "failed";
  readonly stopReason: FactData<"agent.ended">["stopReason"];
  readonly error: string | null;
  /** The model's last words. */
  readonly text: string;
}

/** What may happen to a run. `now` is epoch milliseconds. */
export type BackgroundRunEvent =
  | { readonly type: "claimed"; readonly owner: { pid: number; host: string }; readonly lease: Lease }
  /** Its owner is gone; `seenAt`: when it certainly still worked. */
  | { readonly type: "owner_gone"; readonly now: number; readonly seenAt: number }
  /** Its owner closes in good order. */
  | { readonly type: "owner_leaves"; readonly now: number }
  /** Nobody can do it any more: only a process that is gone knew its model or its extensions. */
  | { readonly type: "unresolvable"; readonly now: number; readonly seenAt: number }
  | { readonly type: "session_ended"; readonly outcome: RunOutcome; readonly now: number }
  | { readonly type: "session_failed"; readonly class: Failure; readonly error: string; readonly now: number }
  | { readonly type: "time_up"; readonly now: number; readonly partialText: string | null }
  | { readonly type: "cancelled"; readonly now: number; readonly reason: string | null };

type Failure = "session_crashed" | "start_failed";
interface Lease {
  readonly key: string;
  readonly fence: number;
}

type RunFactType = Extract<FactType, `background_run.${string}`>;

/**
 * The fact to append, and what goes with it in the same commit: the run is taken, put `back` in line, `ending` (it takes
 * no slot any more, but its owner still tidies up), or `done`, out of the line.
 */
export type BackgroundRunDecision = {
  [T in RunFactType]: {
    readonly type: T;
    readonly data: FactData<T>;
    readonly job: "taken" | "back" | "ending" | "done";
  };
}[RunFactType];

/** `null`: the event changes nothing, since the run is over or what it speaks of is. */
export function decideRun(view: BackgroundRunView, event: BackgroundRunEvent): BackgroundRunDecision | null {
  if (view.queued === null || isFinalRun(view)) return null;
  const isRunning = view.status === "running";
  switch (event.type) {
    case "claimed":
      if (isRunning) return null;
      return {
        type: "background_run.started",
        data: { attempt: attemptOf(view) + 1, owner: event.owner, lease: event.lease },
        job: "taken",
      };
    case "owner_gone":
      return isRunning ? afterLoss(view, event) : null;
    case "owner_leaves":
      return isRunning ? afterLeaving(view, event.now) : null;
    case "unresolvable":
      return lost(view, ranMs(view, event.now, event.seenAt), "nobody_can");
    case "session_ended":
      return isRunning ? afterSession(event.outcome, ranMs(view, event.now)) : null;
    case "session_failed":
      if (!isRunning) return null;
      return failed(ranMs(view, event.now), event.class, event.error, null);
    case "time_up": {
      const { partialText } = event;
      const data = { ranMs: ranMs(view, event.now), partialText };
      return isRunning ? { type: "background_run.timed_out", data, job: "ending" } : null;
    }
    case "cancelled": {
      const reason = event.reason === null ? null : [...event.reason].slice(0, MAX_REASON_CHARS).join("");
      const data = { ranMs: ranMs(view, event.now), reason };
      return { type: "background_run.cancelled", data, job: leavesLine(view) };
    }
  }
}

/**
 * Milliseconds that a run has worked, over all attempts.
 *
 * @param now - when it is asked
 * @param seenAt - when the attempt that is going on was certainly still worked on; default `now`
 */
export function ranMs(
  { ranMs: before, attemptAt }: BackgroundRunView,
  now: number,
  seenAt: number = now,
): number {
  if (attemptAt === null) return before;
  // Clocks go backwards, and those of two processes differ: an attempt takes no negative time, and none from the future.
  return before + Math.max(0, Math.min(seenAt, now) - attemptAt);
}

function attemptOf({ start }: BackgroundRunView): number {
  return start?.attempt ?? 0;
}

function afterLoss(
  view: BackgroundRunView,
  { now, seenAt }: { readonly now: number; readonly seenAt: number },
): BackgroundRunDecision {
  const ran = ranMs(view, now, seenAt);
  if (view.queued?.onRestart === "lost") return lost(view, ran, "not_resumable");
  if (view.losses >= MAX_LOSSES) return lost(view, ran, "too_many_restarts");
  return requeued(view, ran, "owner_lost");
}

function afterLeaving(view: BackgroundRunView, now: number): BackgroundRunDecision {
  const ran = ranMs(view, now);
  return view.queued?.onRestart === "lost"
    ? lost(view, ran, "not_resumable")
    : requeued(view, ran, "shut_down");
}

/** Complete is what ended by itself, and says something. */
function afterSession({ status, stopReason, error, text }: RunOutcome, ran: number): BackgroundRunDecision {
  const partial = text === "" ? null : text;
  if (status !== "completed" || stopReason !== "end_turn") {
    const kind = error === "session_crashed" ? error : "model_failed";
    return failed(ran, kind, error ?? stopReason, partial);
  }
  if (text.trim() === "") return failed(ran, "empty_answer", null, partial);
  return { type: "background_run.completed", data: { ranMs: ran }, job: "done" };
}

function requeued(
  view: BackgroundRunView,
  ran: number,
  cause: FactData<"background_run.requeued">["cause"],
): BackgroundRunDecision {
  const data = { attempt: attemptOf(view), ranMs: ran, cause };
  return { type: "background_run.requeued", data, job: "back" };
}

function lost(
  view: BackgroundRunView,
  ran: number,
  cause: FactData<"background_run.lost">["cause"],
): BackgroundRunDecision {
  return { type: "background_run.lost", data: { ranMs: ran, cause }, job: leavesLine(view) };
}

/** A run that was never worked on has nothing to tidy up. */
function leavesLine({ start }: BackgroundRunView): "ending" | "done" {
  return start === null ? "done" : "ending";
}

function failed(
  ran: number,
  kind: FactData<"background_run.failed">["class"],
  error: string | null,
  partialText: string | null,
): BackgroundRunDecision {
  const data = { ranMs: ran, class: kind, error, partialText };
  return { type: "background_run.failed", data, job: "ending" };
}
