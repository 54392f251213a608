/**
 * The runner of one tool call: from the request to its one end. A plain transition function, since there is one per
 * call and a statechart costs several times as much.
 *
 * Judged by hooks → approved → run → its result reviewed by hooks; each step only where somebody wants it.
 */
import { fromTransition } from "xstate";
import { contextBlock, judgeCall, reviewResult, type CallVerdict } from "../../hooks/index.ts";
import type { Decision, FactData, FactEvent } from "../../events/index.ts";
import { abortedCall } from "../session/call-ends.ts";
import { approvalIn, isPlanTool, planRefusal } from "../session/plan.ts";

/** Where a call stands. */
export interface ToolRunnerState {
  readonly phase: "new" | "judging" | "asking" | "running" | "reviewing" | "ended";
  /** `null` only before the request has arrived. */
  readonly call: FactData<"tool_call.requested"> | null;
  /** What the hooks said of the call; `null` while none has. */
  readonly verdict: CallVerdict | null;
  /** What the tool returned, or the refusal in its place, while hooks review it. */
  readonly result: ToolEnd | null;
}

/** The facts that a runner receives. */
export type ToolRunnerEvent = FactEvent<
  | "tool_call.requested"
  | "hook.answered"
  | "approval.resolved"
  | "tool_call.returned"
  | "abort.requested"
  | "plan_mode.entered"
>;

/** How a call ended before its result is shown. */
type ToolEnd =
  | { readonly kind: "returned"; readonly data: FactData<"tool_call.returned"> }
  | { readonly kind: "denied"; readonly reason: string };

interface ToolRunnerStep {
  readonly state: ToolRunnerState;
  readonly decision: Decision | null;
}

/** Before its first fact. */
export const newRunner: ToolRunnerState = { phase: "new", call: null, verdict: null, result: null };

/** The next state of a call and what was decided, if anything. Pure. */
export function stepToolRunner(state: ToolRunnerState, event: ToolRunnerEvent): ToolRunnerStep {
  const { phase, call } = state;
  switch (event.type) {
    case "tool_call.requested":
      return request({ ...state, call: event.data }, event.data);
    case "hook.answered":
      if (call === null) break;
      if (phase === "judging") return judge(state, call, event.data.answers);
      if (phase === "reviewing" && state.result !== null)
        return end(state, call, state.result, event.data.answers);
      break;
    case "approval.resolved":
      if (phase !== "asking" || call === null) break;
      return event.data.verdict === "allow"
        ? start(state, call)
        : finish(state, call, { kind: "denied", reason: event.data.reason ?? "denied" });
    case "tool_call.returned":
      if (phase !== "running" || call === null) break;
      return finish(state, call, { kind: "returned", data: event.data });
    case "plan_mode.entered":
      return call === null ? { state, decision: null } : plan(state, call);
    case "abort.requested":
      if (phase === "ended" || call === null) break;
      return { state: { ...state, phase: "ended" }, decision: abortedCall(call.callId) };
  }
  return { state, decision: null };
}

type Call = FactData<"tool_call.requested">;
type Answers = FactData<"hook.answered">["answers"];

function request(state: ToolRunnerState, call: Call): ToolRunnerStep {
  if (call.hooks === 0) return approve(state, call);
  return {
    state: { ...state, phase: "judging" },
    decision: { type: "hook.requested", data: { callId: call.callId, hook: "onToolCall" } },
  };
}

/** A blocked call asks nobody, and its result is not reviewed. */
function judge(state: ToolRunnerState, call: Call, answers: Answers): ToolRunnerStep {
  const verdict = judgeCall(answers);
  const judged: ToolRunnerState = { ...state, verdict };
  if (verdict.blocked === null) return approve(judged, call);
  return refuse(judged, call, "tool_blocked", verdict.blocked);
}

function approve(state: ToolRunnerState, call: Call): ToolRunnerStep {
  const { callId, name } = call;
  switch (approvalIn(call)) {
    case "auto":
      return start(state, call);
    case "ask":
      return {
        state: { ...state, phase: "asking" },
        decision: { type: "approval.requested", data: { callId, name, args: state.verdict?.args ?? null } },
      };
    case "deny":
      return finish(state, call, { kind: "denied", reason: "the approval policy denies this tool" });
  }
}

/** Plan mode begins. A call that runs goes on; one that has not started becomes a plan call, if there is such a tool. */
function plan(state: ToolRunnerState, call: Call): ToolRunnerStep {
  if (state.phase !== "judging" && state.phase !== "asking") return { state, decision: null };
  if (!isPlanTool(call.name)) return refuse(state, call, "plan_mode", planRefusal(call.name).message);
  return { state: { ...state, call: { ...call, mode: "plan" } }, decision: null };
}

function start(state: ToolRunnerState, call: Call): ToolRunnerStep {
  const { callId, name, idempotent, mode } = call;
  const args = state.verdict?.args ?? null;
  return {
    state: { ...state, phase: "running" },
    decision: { type: "tool_call.started", data: { callId, name, idempotent, args, mode } },
  };
}

/** A result that hooks may see goes to them first. One that ran over its time is told as it is. */
function finish(state: ToolRunnerState, call: Call, result: ToolEnd): ToolRunnerStep {
  const isReviewed = result.kind === "denied" || result.data.errorType !== "tool_task_timeout";
  if (call.resultHooks === 0 || !isReviewed) return end(state, call, result, []);
  return {
    state: { ...state, phase: "reviewing", result },
    decision: { type: "hook.requested", data: { callId: call.callId, hook: "onToolResult" } },
  };
}

function end(state: ToolRunnerState, call: Call, result: ToolEnd, answers: Answers): ToolRunnerStep {
  if (result.kind === "denied") return refuse(state, call, "approval_denied", result.reason);
  const { callId, isError, errorType, content, details, isThrown } = result.data;
  const shown = reviewResult({ content, details, isThrown }, state.verdict?.context ?? [], answers);
  const data = {
    callId,
    isError,
    reason: errorType,
    content: shown.content === null ? null : [...shown.content],
    details: shown.details,
  };
  return ended(state, { type: "tool_call.completed", data });
}

/** Only what a hook blocked carries context: a refusal is told as it is. */
function refuse(
  state: ToolRunnerState,
  { callId }: Call,
  errorType: "tool_blocked" | "approval_denied" | "plan_mode",
  reason: string,
): ToolRunnerStep {
  const texts = errorType === "tool_blocked" ? (state.verdict?.context ?? []) : [];
  const data = { callId, errorType, reason, context: contextBlock(texts) };
  return ended(state, { type: "tool_call.blocked", data });
}

function ended(state: ToolRunnerState, decision: Decision): ToolRunnerStep {
  return { state: { ...state, phase: "ended", result: null }, decision };
}

/** The decider of one tool call: a member of its session's stream. */
export const toolRunner = fromTransition<ToolRunnerState, ToolRunnerEvent, never, undefined, Decision>(
  (state, event, { emit }) => {
    const step = stepToolRunner(state, event);
    if (step.decision !== null) emit(step.decision);
    return step.state;
  },
  newRunner,
);
