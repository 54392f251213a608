/**
 * The runner of one tool call: from the request to its one end. A plain transition function, since there is one per
 * call and a statechart costs several times as much.
 */
import { fromTransition } from "xstate";
import type { Decision, FactData, FactEvent } from "../../events/index.ts";
import { abortedCall } from "../session/run.ts";

/** Where a call stands. */
export interface ToolRunnerState {
  readonly phase: "new" | "asking" | "running" | "ended";
  /** `null` only before the request has arrived. */
  readonly call: FactData<"tool_call.requested"> | null;
}

/** The facts that a runner receives. */
export type ToolRunnerEvent = FactEvent<
  "tool_call.requested" | "approval.resolved" | "tool_call.returned" | "abort.requested"
>;

interface ToolRunnerStep {
  readonly state: ToolRunnerState;
  readonly decision: Decision | null;
}

/** The next state of a call and what was decided, if anything. Pure. */
export function stepToolRunner(state: ToolRunnerState, event: ToolRunnerEvent): ToolRunnerStep {
  switch (event.type) {
    case "tool_call.requested":
      return request(event.data);
    case "approval.resolved":
      if (state.phase !== "asking" || state.call === null) break;
      return event.data.verdict === "allow"
        ? start(state.call)
        : deny(state.call, event.data.reason ?? "denied");
    case "tool_call.returned": {
      if (state.phase !== "running") break;
      const { callId, isError, errorType } = event.data;
      const data = { callId, isError, reason: errorType, content: null, details: null };
      return { state: { ...state, phase: "ended" }, decision: { type: "tool_call.completed", data } };
    }
    case "abort.requested":
      if (state.phase === "ended" || state.call === null) break;
      return { state: { ...state, phase: "ended" }, decision: abortedCall(state.call.callId) };
  }
  return { state, decision: null };
}

function request(call: FactData<"tool_call.requested">): ToolRunnerStep {
  const { callId, name } = call;
  switch (call.approval) {
    case "auto":
      return start(call);
    case "ask":
      return {
        state: { phase: "asking", call },
        decision: { type: "approval.requested", data: { callId, name } },
      };
    case "deny":
      return deny(call, "the approval policy denies this tool");
  }
}

function start(call: FactData<"tool_call.requested">): ToolRunnerStep {
  const { callId, name, idempotent } = call;
  return {
    state: { phase: "running", call },
    decision: { type: "tool_call.started", data: { callId, name, idempotent } },
  };
}

function deny(call: FactData<"tool_call.requested">, reason: string): ToolRunnerStep {
  return {
    state: { phase: "ended", call },
    decision: {
      type: "tool_call.blocked",
      data: { callId: call.callId, errorType: "approval_denied", reason },
    },
  };
}

/** The decider of one tool call: a member of its session's stream. */
export const toolRunner = fromTransition<ToolRunnerState, ToolRunnerEvent, never, undefined, Decision>(
  (state, event, { emit }) => {
    const step = stepToolRunner(state, event);
    if (step.decision !== null) emit(step.decision);
    return step.state;
  },
  { phase: "new", call: null },
);
