/**
 * What plan mode means for calls. Pure. docs/reference/plan-mode.md
 *
 * A call is a plan call once plan mode was on at any time between the request to the model and its own start. So a mode
 * that changes under a run can only take away: what was offered for a plan never reaches a tool without its bounds.
 */
import type { FactData, ModelCall } from "../../events/index.ts";

/** Tools of the session that stay: they change no file. The list of todos is a plan itself. */
export const PLAN_READERS: readonly string[] = ["read", "grep", "find", "ls", "todo", "extensions_status"];

/** Tools that there are in plan mode alone, or are others there: they reach the folder of plans and nothing else. */
export const PLAN_WRITERS: readonly string[] = ["write", "edit", "propose_plan"];

/** Whether plan mode has a tool of this name. */
export function isPlanTool(name: string): boolean {
  return PLAN_READERS.includes(name) || PLAN_WRITERS.includes(name);
}

/** Why a call can't run whose tool plan mode does not have. */
export function planRefusal(name: string): NonNullable<ModelCall["refusal"]> {
  return { errorType: "plan_mode", message: `Tool ${name} is not available in plan mode`, errors: [] };
}

/** What becomes of a call by its approval mode: what reaches the folder of plans alone needs no approval. */
export function approvalIn({
  mode,
  name,
  approval,
}: Pick<
  FactData<"tool_call.requested">,
  "mode" | "name" | "approval"
>): FactData<"tool_call.requested">["approval"] {
  return mode === "plan" && PLAN_WRITERS.includes(name) ? "auto" : approval;
}
