/**
 * What a run decides around a compaction of its conversation. Pure. docs/reference/compaction.md
 *
 * Whatever becomes of it, the model is asked afterwards, at the same attempt, and in this turn nothing is compacted
 * again: a conversation that can't be made short enough must end its run and not ask for summaries for ever.
 */
import { addUsage, type Decision, type FactData, type Usage } from "../../events/index.ts";
import { askAgain, takeFailure, type Run, type Step } from "./run.ts";

type Reason = FactData<"compaction.requested">["reason"];
type Overlength = FactData<"compaction.due">;

/** The request would be too long. */
export function takeDue(run: Run, overlength: Overlength): Step {
  return compact(run, "due", overlength);
}

/** An attempt failed: when it was too long for the provider, compact, else as any failure. */
export function takeModelFailure(run: Run, failure: FactData<"model.failed">, at: number): Step {
  if (failure.compaction === null) return takeFailure(run, failure, at);
  return compact({ ...run, usage: addUsage(run.usage, failure.usage) }, "refused", failure.compaction);
}

/** The summary is there, or will not be: ask the model. */
export function takeCompaction(run: Run, { usage }: { readonly usage: Usage }): Step {
  return askAgain({ ...run, usage: addUsage(run.usage, usage) });
}

/** The request for the summary was lost with its process: make it again. */
export function compactAgain(run: Run): Step {
  if (run.compaction === null) throw new Error("a compaction was lost that nobody asked for");
  return { run, decisions: [{ type: "compaction.requested", data: run.compaction }] };
}

function compact(run: Run, reason: Reason, { tokens, window }: Overlength): Step {
  const data: FactData<"compaction.requested"> = { turn: run.turn, reason, tokens, window };
  const requested: Decision = { type: "compaction.requested", data };
  return { run: { ...run, phase: "compacting", compaction: data }, decisions: [requested] };
}
