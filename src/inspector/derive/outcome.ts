/** Whether a fact tells of something that went wrong, or of something that was refused. */
import type { KnownFact } from "../../events/index.ts";

/** What failed: a call, a hook, a model, a run, a task. A refused call is none: see `isBlocking`. */
export function isFailure({ type, data }: KnownFact): boolean {
  switch (type) {
    case "model.failed":
    case "compaction.failed":
    case "hook.failed":
    case "tool_call.interrupted":
    case "subagent.failed":
    case "subagent.timed_out":
    case "subagent.lost":
      return true;
    case "tool_call.completed":
      return data.isError && data.reason !== "aborted";
    case "agent.ended":
      return data.status === "failed";
    default:
      return false;
  }
}

/** What was not let happen: a call that a hook, the policy or a person refused. */
export function isBlocking({ type, data }: KnownFact): boolean {
  return type === "tool_call.blocked" || (type === "approval.resolved" && data.verdict === "deny");
}
