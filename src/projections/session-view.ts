/**
 * A session as its facts tell it: settings, the open run and its calls, what waits for an answer, the last outcome.
 */
import {
  addUsage,
  noUsage,
  type ApprovalMode,
  type FactData,
  type FactOf,
  type SessionLineage,
  type SessionMode,
  type Usage,
} from "../events/index.ts";
import { withArgs, withCall, withState, type CallView } from "./call-view.ts";
import type { Projection } from "./projection.ts";

type Settings = Omit<FactData<"session.started">, "sessionId" | "cwd" | "systemPrompt" | "lineage">;

/** How a run ended. `text` is the model's last words. */
export interface OutcomeView {
  readonly runId: string;
  readonly status: FactData<"agent.ended">["status"];
  readonly stopReason: FactData<"agent.ended">["stopReason"];
  readonly error: FactData<"agent.ended">["error"];
  readonly text: string;
  readonly usage: Usage;
  readonly version: number;
}

/** The state of a session after a fact. */
export interface SessionView {
  readonly sessionId: string;
  readonly cwd: string;
  readonly systemPrompt: string;
  readonly lineage: SessionLineage;
  readonly settings: Settings;
  readonly status: "new" | "idle" | "running" | "shut_down";
  readonly mode: SessionMode;
  readonly run: { readonly runId: string; readonly turn: number; readonly version: number } | null;
  readonly calls: Readonly<Record<string, CallView>>;
  /** Durable answers and failed attempts so far, those of compactions too: a scripted model finds its turn by them. */
  readonly responses: number;
  readonly failures: number;
  readonly usage: Usage;
  readonly lastText: string;
  readonly outcome: OutcomeView | null;
  readonly startedAt: number | null;
}

type SessionFact =
  | "session.started"
  | "session.forked"
  | "session.configured"
  | "session.shut_down"
  | "plan_mode.entered"
  | "plan_mode.exited"
  | "prompt.submitted"
  | "turn.started"
  | "agent.ended"
  | "model.responded"
  | "model.failed"
  | "session.compacted"
  | "compaction.failed"
  | "tool_call.requested"
  | "hook.answered"
  | "approval.requested"
  | "tool_call.started"
  | "tool_call.process_started"
  | "checkpoint.created"
  | "tool_call.returned"
  | "tool_call.completed"
  | "tool_call.blocked"
  | "tool_call.interrupted";

const auto: ApprovalMode = "auto";

/** The state of a session's stream. */
export const sessionView: Projection<SessionView, SessionFact> = {
  name: "session",
  version: 5,
  initial: {
    sessionId: "",
    cwd: "",
    systemPrompt: "",
    lineage: {
      origin: "session",
      sessionKey: "",
      parentSessionId: null,
      parentSessionKey: null,
      agentId: null,
      depth: 0,
      ownSystemPrompt: false,
    },
    settings: {
      model: "",
      thinkingLevel: null,
      approval: auto,
      maxToolConcurrency: null,
      maxToolTurns: null,
      script: null,
      extensions: [],
      extensionPaths: null,
      disabled: [],
      enabledOnly: null,
      includeExtensions: true,
      toolPolicy: { allow: "all", deny: [], blockedTools: [], requireApproval: [], approvals: {} },
    },
    status: "new",
    mode: "normal",
    run: null,
    calls: {},
    responses: 0,
    failures: 0,
    usage: noUsage,
    lastText: "",
    outcome: null,
    startedAt: null,
  },
  types: {
    "session.started": true,
    "session.forked": true,
    "session.configured": true,
    "session.shut_down": true,
    "plan_mode.entered": true,
    "plan_mode.exited": true,
    "prompt.submitted": true,
    "turn.started": true,
    "agent.ended": true,
    "model.responded": true,
    "model.failed": true,
    "session.compacted": true,
    "compaction.failed": true,
    "tool_call.requested": true,
    "hook.answered": true,
    "approval.requested": true,
    "tool_call.started": true,
    "tool_call.process_started": true,
    "checkpoint.created": true,
    "tool_call.returned": true,
    "tool_call.completed": true,
    "tool_call.blocked": true,
    "tool_call.interrupted": true,
  },
  fold: foldSession,
};

/** The calls that have not ended, in call order. */
export function pendingCalls(view: SessionView): CallView[] {
  return Object.values(view.calls).filter((call) => call.state !== "ended");
}

function foldSession(view: SessionView, fact: FactOf<SessionFact>): SessionView {
  switch (fact.type) {
    case "session.started": {
      const { sessionId, cwd, systemPrompt, lineage, ...settings } = fact.data;
      const status = "idle";
      return { ...view, sessionId, cwd, systemPrompt, lineage, settings, status, startedAt: fact.at };
    }
    case "session.forked":
      return fork(view, fact);
    case "session.configured":
      return { ...view, settings: fact.data, status: view.status === "shut_down" ? "idle" : view.status };
    case "session.shut_down":
      return { ...view, status: "shut_down" };
    case "plan_mode.entered":
      return { ...view, mode: "plan" };
    case "plan_mode.exited":
      return { ...view, mode: "normal" };
    case "prompt.submitted":
      return {
        ...view,
        status: "running",
        run: { runId: fact.data.runId, turn: 0, version: fact.version },
        lastText: "",
        outcome: null,
      };
    case "turn.started":
      return view.run === null ? view : { ...view, run: { ...view.run, turn: fact.data.turn } };
    case "agent.ended":
      return { ...view, status: "idle", run: null, calls: {}, outcome: outcomeOf(view, fact) };
    case "model.responded":
      return takeAnswer(view, fact);
    case "session.compacted":
      return { ...view, responses: view.responses + 1, usage: addUsage(view.usage, fact.data.usage) };
    case "model.failed":
    case "compaction.failed":
      return { ...view, failures: view.failures + 1, usage: addUsage(view.usage, fact.data.usage) };
    case "tool_call.requested":
      return withCall(view, fact.data.callId, (call) => ({ ...call, mode: fact.data.mode }));
    case "hook.answered":
      return withCall(view, fact.data.callId, (call) => {
        if (fact.data.hook === "onToolResult") return { ...call, returned: null };
        return { ...call, judged: { version: fact.version, masked: fact.data.masked, replaced: false } };
      });
    case "approval.requested":
      return withArgs(withState(view, fact.data.callId, "asking"), fact.data);
    case "tool_call.started":
      return withCall(
        withArgs(withState(view, fact.data.callId, "running"), fact.data),
        fact.data.callId,
        (call) => ({
          ...call,
          mode: fact.data.mode,
        }),
      );
    case "tool_call.returned":
      return withCall(view, fact.data.callId, (call) =>
        call.resultHooks === 0 ? call : { ...call, returned: fact.data },
      );
    case "tool_call.process_started":
      return withCall(view, fact.data.callId, (call) => ({ ...call, process: fact.data }));
    case "checkpoint.created": {
      const { origin, callId, checkpointId, files } = fact.data;
      if (origin !== "guard" || callId === null) return view;
      return withCall(view, callId, (call) => ({
        ...call,
        guards: [...call.guards, { checkpointId, files }],
      }));
    }
    case "tool_call.completed":
    case "tool_call.blocked":
    case "tool_call.interrupted":
      return withState(view, fact.data.callId, "ended");
  }
}

/** Its parent's state goes on as its own; what somebody else waits for or holds for the parent is none of its business. */
function fork(view: SessionView, { at: startedAt, data }: FactOf<"session.forked">): SessionView {
  const { sessionId, cwd, from: _from, at: _at, runId: _runId, systemPrompt, lineage, ...settings } = data;
  const calls: Record<string, CallView> = {};
  for (const [callId, call] of Object.entries(view.calls)) {
    // Nobody is asked here for what the parent asks: the fork's next facts interrupt the call.
    const state = call.state === "asking" ? "queued" : call.state;
    calls[callId] = { ...call, state, process: null, guards: [] };
  }
  return {
    ...view,
    sessionId,
    cwd,
    systemPrompt: systemPrompt ?? view.systemPrompt,
    lineage,
    settings,
    status: view.run === null ? "idle" : "running",
    calls,
    startedAt,
  };
}

function takeAnswer(view: SessionView, fact: FactOf<"model.responded">): SessionView {
  const text = fact.data.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls: Record<string, CallView> = {};
  for (const { callId, name, args, masked, hooks, resultHooks } of fact.data.calls) {
    calls[callId] = {
      callId,
      name,
      state: "queued",
      args,
      masked,
      hooks,
      resultHooks,
      judged: null,
      returned: null,
      mode: view.mode,
      answeredAt: fact.version,
      process: null,
      guards: [],
    };
  }
  return {
    ...view,
    responses: view.responses + 1,
    usage: addUsage(view.usage, fact.data.usage),
    lastText: text,
    calls,
  };
}

function outcomeOf(view: SessionView, fact: FactOf<"agent.ended">): OutcomeView {
  const { runId, status, stopReason, error, usage } = fact.data;
  return { runId, status, stopReason, error, text: view.lastText, usage, version: fact.version };
}
