/**
 * The run that a session is in, and the decisions that carry it on. Pure: state and fact in, state and decisions
 * out; `machine.ts` says in which state which of them applies.
 */
import {
  addUsage,
  noUsage,
  type ContentBlock,
  type Decision,
  type FactData,
  type ModelCall,
  type SessionMode,
  type Usage,
} from "../../events/index.ts";
import { abortedCall, refusedCall } from "./call-ends.ts";
import { isPlanTool, planRefusal } from "./plan.ts";
import { nextBatch, type BatchCall } from "./next-batch.ts";

/** What of the session's settings decides. */
export interface RunLimits {
  readonly maxToolConcurrency: number | null;
  readonly maxToolTurns: number | null;
}

type Content = readonly ContentBlock[];

interface RunCall extends BatchCall {
  readonly call: ModelCall;
}

/** One run: from a prompt to its `agent.ended`. */
export interface Run {
  readonly runId: string;
  readonly turn: number;
  /** What it waits for: the model, the delay before the next attempt, a summary, or the calls of the last answer. */
  readonly phase: "asking" | "waiting" | "compacting" | "calling";
  readonly attempt: number;
  /** The one of this turn, `null` while there was none. It may have to be asked for again. */
  readonly compaction: FactData<"compaction.requested"> | null;
  readonly toolTurns: number;
  readonly usage: Usage;
  readonly calls: readonly RunCall[];
  readonly steers: readonly Content[];
  readonly followUps: readonly Content[];
  readonly aborting: boolean;
  /** Of the session. */
  readonly mode: SessionMode;
  /** In which the calls of the last answer start: that of the request, and plan mode once it was entered since. */
  readonly callMode: SessionMode;
}

/** The run after a step, `null` once it has ended, and what was decided. */
export interface Step {
  readonly run: Run | null;
  readonly decisions: readonly Decision[];
}

/** A prompt opens a run. */
export function startRun(runId: string, mode: SessionMode): Step {
  const run: Run = {
    runId,
    turn: 1,
    phase: "asking",
    attempt: 1,
    compaction: null,
    toolTurns: 0,
    usage: noUsage,
    calls: [],
    steers: [],
    followUps: [],
    aborting: false,
    mode,
    callMode: mode,
  };
  return {
    run,
    decisions: [
      { type: "agent.started", data: { runId } },
      { type: "turn.started", data: { turn: 1 } },
      modelRequest(run),
    ],
  };
}

/** The model answered: start its calls, or end the turn when there are none. */
export function takeAnswer(
  run: Run,
  { data: answer }: { readonly data: FactData<"model.responded"> },
  limits: RunLimits,
): Step {
  const answered: Run = {
    ...run,
    phase: "calling",
    usage: addUsage(run.usage, answer.usage),
    calls: answer.calls.map((call) => ({
      callId: call.callId,
      parallelSafe: call.parallelSafe,
      state: "queued",
      call,
    })),
  };
  if (answer.calls.length > 0) return startCalls(answered, limits);
  const ended = endTurn(answered);
  const next = turnOfWaiting(answered);
  if (next !== null) return { run: next.run, decisions: [ended, ...next.decisions] };
  return endRun(answered, [ended], { status: "completed", stopReason: completedReason(answer.finishReason) });
}

/** An attempt failed: try again after the delay that came with the failure, else give the run up. */
export function takeFailure(run: Run, failure: FactData<"model.failed">, at: number): Step {
  const failed: Run = { ...run, usage: addUsage(run.usage, failure.usage) };
  if (failure.delayMs === null) {
    return endRun(failed, [endTurn(failed)], {
      status: "failed",
      stopReason: "error",
      error: { class: failure.class, status: failure.status },
    });
  }
  const attempt = run.attempt + 1;
  const { delayMs } = failure;
  return {
    run: { ...failed, attempt, phase: "waiting" },
    decisions: [{ type: "model.retry_scheduled", data: { attempt, delayMs, dueAt: at + delayMs } }],
  };
}

/**
 * Asks the model again: the delay or a compaction is over, or a request was lost with its process and counts as no
 * attempt.
 */
export function askAgain(run: Run): Step {
  return { run: { ...run, phase: "asking", callMode: run.mode }, decisions: [modelRequest(run)] };
}

/** A call came to its one end: start what waited for it, or go on when it was the last. */
export function takeCallEnd(run: Run, callId: string, limits: RunLimits): Step {
  const marked = markCalls(run, new Set([callId]), "ended");
  if (marked.aborting) return endAborted(marked, []);
  return startCalls(marked, limits);
}

/** A message for this run, kept until the place where it is due. */
export function keepMessage(run: Run, queue: "steers" | "followUps", content: Content): Step {
  return { run: { ...run, [queue]: [...run[queue], content] }, decisions: [] };
}

/** Plan mode begins: calls that have not started are plan calls from here on. */
export function enterPlan(run: Run): Step {
  return { run: { ...run, mode: "plan", callMode: "plan" }, decisions: [] };
}

/** Plan mode ends. Calls that were offered in it stay within its bounds. */
export function exitPlan(run: Run): Step {
  return { run: { ...run, mode: "normal" }, decisions: [] };
}

/** Abort: nothing more starts, queued calls end here, running ones by their own runners. */
export function abortRun(run: Run): Step {
  if (run.phase !== "calling")
    return endAborted({ ...run, aborting: true }, [{ type: "model.cancelled", data: {} }]);
  const queued = run.calls.filter((call) => call.state === "queued");
  const aborting = markCalls({ ...run, aborting: true }, new Set(queued.map((call) => call.callId)), "ended");
  const decisions = queued.map(({ callId }): Decision => abortedCall(callId));
  return endAborted(aborting, decisions);
}

function startCalls(run: Run, limits: RunLimits): Step {
  const decisions: Decision[] = [];
  let current = run;
  for (;;) {
    const starting = nextBatch(current.calls, limits.maxToolConcurrency);
    if (starting.length === 0) break;
    const refused = new Set<string>();
    const requested = new Set<string>();
    for (const { call } of starting) {
      const refusal = refusalOf(call, run.callMode);
      if (refusal === null) {
        requested.add(call.callId);
        decisions.push(requestCall(call, run.callMode));
      } else {
        refused.add(call.callId);
        decisions.push(refusedCall(call.callId, refusal));
      }
    }
    current = markCalls(markCalls(current, requested, "running"), refused, "ended");
    if (refused.size === 0) break;
  }
  if (current.calls.some((call) => call.state !== "ended")) return { run: current, decisions };
  return afterCalls(current, decisions, limits);
}

function afterCalls(run: Run, decisions: readonly Decision[], limits: RunLimits): Step {
  const toolTurns = run.toolTurns + 1;
  const done: Run = { ...run, toolTurns };
  const soFar = [...decisions, endTurn(done)];
  if (limits.maxToolTurns !== null && toolTurns >= limits.maxToolTurns) {
    soFar.push({ type: "turn_budget.exhausted", data: { maxToolTurns: limits.maxToolTurns, toolTurns } });
    return endRun(done, soFar, { status: "failed", stopReason: "max_tool_turns" });
  }
  const next = openTurn(done, done.steers, []);
  return { run: next.run, decisions: [...soFar, ...next.decisions] };
}

/** The turn that waiting messages ask for when the run would end; steers go first and leave follow-ups waiting. */
function turnOfWaiting(run: Run): Step | null {
  if (run.steers.length > 0) return openTurn(run, run.steers, []);
  if (run.followUps.length > 0) return openTurn(run, [], run.followUps);
  return null;
}

function openTurn(run: Run, steers: readonly Content[], followUps: readonly Content[]): Step {
  const opened: Run = {
    ...run,
    turn: run.turn + 1,
    phase: "asking",
    callMode: run.mode,
    attempt: 1,
    compaction: null,
    calls: [],
    steers: [],
    followUps: followUps.length > 0 ? [] : run.followUps,
  };
  const append =
    (source: "steer" | "follow_up") =>
    (content: Content): Decision => ({ type: "message.appended", data: { content: [...content], source } });
  return {
    run: opened,
    decisions: [
      { type: "turn.started", data: { turn: opened.turn } },
      ...steers.map(append("steer")),
      ...followUps.map(append("follow_up")),
      modelRequest(opened),
    ],
  };
}

interface RunEnd {
  readonly status: "completed" | "aborted" | "failed";
  readonly stopReason: FactData<"agent.ended">["stopReason"];
  readonly error?: FactData<"agent.ended">["error"];
}

function endRun(run: Run, decisions: readonly Decision[], { error = null, ...end }: RunEnd): Step {
  const data = { runId: run.runId, ...end, error, usage: run.usage, turns: run.turn };
  return { run: null, decisions: [...decisions, { type: "agent.ended", data }] };
}

function endAborted(run: Run, decisions: readonly Decision[]): Step {
  if (run.calls.some((call) => call.state !== "ended")) return { run, decisions };
  return endRun(run, [...decisions, endTurn(run)], { status: "aborted", stopReason: "aborted" });
}

function modelRequest({ turn, attempt, mode, compaction }: Run): Decision {
  return { type: "model.requested", data: { turn, attempt, mode, mayCompact: compaction === null } };
}

function endTurn(run: Run): Decision {
  return { type: "turn.ended", data: { turn: run.turn, toolCalls: run.calls.length } };
}

function requestCall(
  { callId, name, approval, hooks, resultHooks, idempotent }: ModelCall,
  mode: SessionMode,
): Decision {
  const data = { callId, name, approval, hooks, resultHooks, idempotent, mode };
  return { type: "tool_call.requested", data };
}

/** A call that can't run for a reason of its own is told that one. */
function refusalOf({ name, refusal }: ModelCall, mode: SessionMode): ModelCall["refusal"] {
  return refusal !== null || mode === "normal" || isPlanTool(name) ? refusal : planRefusal(name);
}

function markCalls(run: Run, callIds: ReadonlySet<string>, state: BatchCall["state"]): Run {
  if (callIds.size === 0) return run;
  return { ...run, calls: run.calls.map((call) => (callIds.has(call.callId) ? { ...call, state } : call)) };
}

function completedReason(finish: FactData<"model.responded">["finishReason"]): RunEnd["stopReason"] {
  switch (finish) {
    case "length":
      return "max_tokens";
    case "content_filter":
      return "content_filter";
    case "stop":
    case "tool_calls":
      return "end_turn";
  }
}
