/**
 * What a subscriber of a session is told: facts and live pieces, in the words of docs/reference/session-events.md.
 *
 * Pure like every fold, so the same facts tell the same story, live or from the log.
 */
import type { FactData, FactOf, FactType, KnownFact } from "../events/index.ts";
import type { EventArgs, EventContent, EventMessage, LivePiece, SessionEventBody } from "./session-event.ts";
import { compactionEvent, endOf } from "./compaction-events.ts";
import { blockedContent } from "./blocked-content.ts";
import { tellBudget, tellEnd } from "./run-end-events.ts";
import type { SessionView } from "./session-view.ts";
import { isOfTask, taskEvents } from "./task-events.ts";

type Details = Readonly<Record<string, unknown>> | null;
type Receipt = FactData<"tool_call.returned">["receipt"];

interface EventCall {
  readonly name: string;
  readonly args: EventArgs;
  readonly started: boolean;
  readonly content: EventContent;
  readonly details: Details;
  readonly receipt: Receipt;
}

/** Where the story is. */
export interface EventState {
  readonly prompt: EventContent | null;
  readonly streaming: boolean;
  readonly compacting: boolean;
  readonly calls: Readonly<Record<string, EventCall>>;
}

/** Before the first fact. */
export const noEvents: EventState = { prompt: null, streaming: false, compacting: false, calls: {} };

/** Where the story of a session stands that is opened again: the calls of its newest answer have names already. */
export function storyOf(view: SessionView): EventState {
  const calls: Record<string, EventCall> = {};
  for (const { callId, name, args, state } of Object.values(view.calls)) {
    calls[callId] = { name, args, started: state !== "queued", content: [], details: null, receipt: null };
  }
  return { ...noEvents, calls };
}

type Told = readonly [EventState, readonly SessionEventBody[]];

/** What a live piece tells. */
export function tellLive(state: EventState, piece: LivePiece): Told {
  if (piece.type === "tool_call_update") {
    return [state, [{ type: "tool_execution_update", toolCallId: piece.callId, content: piece.content }]];
  }
  const update: SessionEventBody = { type: "message_update", kind: piece.kind, text: piece.text };
  if (state.streaming) return [state, [update]];
  return [{ ...state, streaming: true }, [{ type: "message_start", role: "assistant" }, update]];
}

/** Features, background runs and the supervision tree have streams of their own, which no session tells. */
type Elsewhere = Extract<
  FactType,
  `feature${string}` | `child.${string}` | `supervisor.${string}` | `background_run.${string}`
>;
const isElsewhere = (fact: KnownFact): fact is FactOf<Elsewhere> =>
  /^(feature|child\.|supervisor\.|background_run\.)/.test(fact.type);

/** What a fact tells. */
export function tellFact(state: EventState, fact: KnownFact): Told {
  if (isElsewhere(fact)) return [state, []];
  if (isOfTask(fact)) return [state, taskEvents(fact)];
  switch (fact.type) {
    case "prompt.submitted":
      return [{ ...state, prompt: fact.data.content }, []];
    case "agent.started":
      return [state, [{ type: "agent_start", runId: fact.data.runId }]];
    case "turn.started": {
      const start: SessionEventBody = { type: "turn_start", turn: fact.data.turn };
      return [
        { ...state, prompt: null },
        state.prompt === null ? [start] : [start, ...userMessage(state.prompt)],
      ];
    }
    case "message.appended":
      return [state, userMessage(fact.data.content)];
    case "model.responded":
      return tellAnswer(state, fact.data);
    case "model.failed": {
      const { status, delayMs } = fact.data;
      const failed: SessionEventBody = {
        type: "model_failed",
        class: fact.data.class,
        status,
        retryInMs: delayMs,
      };
      return discard(state, fact.data.class, [failed]);
    }
    case "model.lost":
      return discard(state, "lost", []);
    case "model.cancelled":
      if (!state.compacting) return discard(state, "canceled", []);
      return [{ ...state, compacting: false }, [endOf("canceled")]];
    case "compaction.requested":
    case "session.compacted":
    case "compaction.failed":
    case "compaction.lost": {
      const compacting = fact.type === "compaction.requested";
      return [{ ...state, compacting }, [compactionEvent(fact)]];
    }
    case "tool_call.requested":
      return startCall(state, fact.data.callId);
    case "approval.requested": {
      const { callId, name } = fact.data;
      const args = fact.data.args ?? state.calls[callId]?.args ?? null;
      return [state, [{ type: "approval_requested", id: callId, tool: name, args }]];
    }
    case "approval.resolved":
      return [state, [{ type: "approval_resolved", id: fact.data.callId, verdict: fact.data.verdict }]];
    case "plan.proposed": {
      const { planId, plan } = fact.data;
      return [state, [{ type: "plan_proposed", planId, plan }]];
    }
    case "tool_call.returned": {
      const { callId, content, details, receipt } = fact.data;
      return [withCall(state, callId, { content, details, receipt }), []];
    }
    case "tool_call.completed":
      return endCall(state, fact.data);
    case "tool_call.blocked": {
      const { callId, reason, errorType } = fact.data;
      const content: EventContent = blockedContent(fact.data);
      return endCall(state, {
        callId,
        isError: true,
        reason: errorType,
        content,
        details: { errorType, reason },
      });
    }
    case "tool_call.interrupted": {
      const { callId, reason, receipt } = fact.data;
      const content: EventContent = [{ type: "text", text: `Tool call interrupted: ${reason}` }];
      return endCall(withCall(state, callId, { receipt }), {
        callId,
        isError: true,
        reason,
        content,
        details: { errorType: "interrupted", reason },
      });
    }
    case "turn.ended":
      return [{ ...state, calls: {} }, [{ type: "turn_end", turn: fact.data.turn }]];
    case "turn_budget.exhausted":
      return [state, tellBudget(fact.data)];
    case "agent.ended":
      return [noEvents, tellEnd(fact.data)];
    case "session.shut_down":
      return [state, [{ type: "session_shutdown", reason: fact.data.reason }]];
    case "extension_status_report.published":
      return [state, [{ type: "extension_status_report", report: fact.data.report }]];
    case "hook_context.appended":
      return [state, contextMessage(fact.data.text)];
    case "hook.failed": {
      const { hook, module, kind, callId } = fact.data;
      return [state, [{ type: "hook_failed", hook, module, kind, toolCallId: callId }]];
    }
    case "tool_call.receipt_recorded": {
      const { callId, receipt } = fact.data;
      return [state, [{ type: "tool_receipt", toolCallId: callId, receipt }]];
    }
    case "todos.written":
      return [state, [{ type: "todos_written", action: fact.data.action, todos: fact.data.todos }]];
    case "checkpoint.created": {
      const { checkpointId, kind, origin, tool } = fact.data;
      return [state, [{ type: "checkpoint_created", checkpointId, kind, origin, tool }]];
    }
    case "checkpoint.restored": {
      const { checkpointId, status, results } = fact.data;
      return [state, [{ type: "checkpoint_restored", checkpointId, status, results }]];
    }
    case "checkpoint.deleted":
    case "checkpoint.restore_started":
    case "checkpoint.resumed":
    case "introspection.recorded":
    case "side_query.asked":
    case "side_query.answered":
    case "side_query.failed":
    case "session.started":
    case "session.forked":
    case "session.configured":
    case "plan_mode.entered":
    case "plan_mode.exited":
    case "hook.requested":
    case "hook.answered":
    case "extensions.requested":
    case "extension.overridden":
    case "extension.loaded":
    case "extension.load_failed":
    case "extension.validation_failed":
    case "extension.warned":
    case "extensions.collected":
    case "tool.shadowed":
    case "provider.registered":
    case "provider.conflicted":
    case "provider.unregistered":
    case "extensions.reloaded":
    case "extensions.released":
    case "extension.restarted":
    case "extension.quarantined":
    case "steer.submitted":
    case "follow_up.submitted":
    case "abort.requested":
    case "model.requested":
    case "compaction.due":
    case "model.retry_scheduled":
    case "model.retry_due":
    case "tool_call.started":
    case "tool_call.process_started":
      return [state, []];
  }
}

function userMessage(content: EventContent): SessionEventBody[] {
  return [
    { type: "message_start", role: "user" },
    { type: "message_end", message: { role: "user", content } },
  ];
}

function contextMessage(text: string): SessionEventBody[] {
  const content: EventContent = [{ type: "text", text }];
  return [
    { type: "message_start", role: "custom" },
    {
      type: "message_end",
      message: { role: "custom", customType: "hook_context", display: false, content },
    },
  ];
}

function tellAnswer(state: EventState, answer: FactData<"model.responded">): Told {
  const calls: Record<string, EventCall> = {};
  for (const { callId, name, args } of answer.calls) {
    calls[callId] = { name, args, started: false, content: [], details: null, receipt: null };
  }
  const message: EventMessage = {
    role: "assistant",
    content: answer.content,
    toolCalls: answer.calls.map(({ callId, name, args }) => ({ id: callId, name, args })),
    stopReason: answer.finishReason,
  };
  const end: SessionEventBody = { type: "message_end", message };
  const events: SessionEventBody[] = state.streaming
    ? [end]
    : [{ type: "message_start", role: "assistant" }, end];
  return [{ ...state, streaming: false, calls }, events];
}

function discard(state: EventState, reason: string, events: readonly SessionEventBody[]): Told {
  if (!state.streaming) return [state, events];
  return [{ ...state, streaming: false }, [{ type: "message_discarded", reason }, ...events]];
}

function startCall(state: EventState, callId: string): Told {
  const call = state.calls[callId];
  const { name = "", args = null } = call ?? {};
  const start: SessionEventBody = { type: "tool_execution_start", toolCallId: callId, toolName: name, args };
  return [withCall(state, callId, { started: true }), [start]];
}

type CallEnd = Omit<FactData<"tool_call.completed">, "content"> & { readonly content: EventContent | null };

function endCall(state: EventState, end: CallEnd): Told {
  const { callId, isError } = end;
  const call = state.calls[callId];
  const toolName = call?.name ?? "";
  const content = end.content ?? call?.content ?? [];
  const shown = end.details ?? call?.details ?? null;
  const receipt = call?.receipt ?? null;
  // Last, so that nobody's own words stand in its place.
  const details = receipt === null ? shown : { ...shown, receipt };
  // A refused call has a start too; one that was aborted while it waited has none.
  const [next, started] =
    call?.started === false && end.reason !== "aborted" ? startCall(state, callId) : [state, []];
  return [
    next,
    [
      ...started,
      { type: "tool_execution_end", toolCallId: callId, toolName, result: { content, details }, isError },
      { type: "message_start", role: "tool" },
      { type: "message_end", message: { role: "tool", toolCallId: callId, toolName, content, isError } },
    ],
  ];
}

function withCall(state: EventState, callId: string, change: Partial<EventCall>): EventState {
  const call = state.calls[callId];
  return call === undefined
    ? state
    : { ...state, calls: { ...state.calls, [callId]: { ...call, ...change } } };
}
