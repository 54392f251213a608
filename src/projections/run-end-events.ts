/** What subscribers are told at the end of a run. */
import type { FactData } from "../events/index.ts";
import type { EventMessage, SessionEventBody } from "./session-event.ts";

/** The run has made all turns that it may. */
export function tellBudget({
  maxToolTurns,
  toolTurns,
}: FactData<"turn_budget.exhausted">): SessionEventBody[] {
  const reason = "max_tool_turns_exhausted";
  const message: EventMessage = { role: "assistant", content: [], toolCalls: [], stopReason: "error" };
  return [
    { type: "loop_budget_exhausted", reason, maxToolTurns, toolTurns },
    { type: "message_start", role: "assistant" },
    { type: "message_end", message },
  ];
}

/** The run has ended. */
export function tellEnd({ status, stopReason, error }: FactData<"agent.ended">): SessionEventBody[] {
  const end: SessionEventBody = { type: "agent_end", status, stopReason };
  if (status === "aborted") return [{ type: "canceled" }, end];
  if (error !== null) return [{ type: "error", class: error.class, status: error.status }, end];
  return [end];
}
