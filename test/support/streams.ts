import { fromTransition } from "xstate";
import { checkFact } from "../../src/events/schemas.ts";
import type { EffectTable, Outcome } from "../../src/actors/effect-runner.ts";
import { JournaledStream } from "../../src/actors/journaled.ts";
import { endOfGivenUp } from "../../src/actors/recovery.ts";
import { sessionViews, type SessionViews } from "../../src/actors/session-views.ts";
import type { StreamEvent } from "../../src/actors/subscribers.ts";
import { Leadership } from "../../src/actors/leadership.ts";
import { retryEffect } from "../../src/actors/session/effects.ts";
import { requestDigest } from "../../src/actors/session/request.ts";
import { summaryRequest } from "../../src/actors/session/summary-request.ts";
import { sessionActors } from "../../src/actors/session/actors.ts";
import { AlreadyStreamingError, NotStreamingError } from "../../src/actors/errors.ts";
import type { StreamActors } from "../../src/actors/cascade.ts";
import {
  newRunner,
  stepToolRunner,
  type ToolRunnerEvent,
  type ToolRunnerState,
} from "../../src/actors/tool-runner/machine.ts";
import { noUsage, type Decision, type Fact, type FactData, type ModelCall } from "../../src/events/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { messageCount } from "../../src/projections/index.ts";
import { silentLogger } from "../../src/ports.ts";
import { createMasker, type KnownSecret } from "../../src/secrets/index.ts";
import { startSupervisor, type Supervisor } from "../../src/supervision/index.ts";
import { ManualClock } from "./manual-clock.ts";

/** An effect whose outcome the test gives. */
export interface OpenEffect {
  readonly fact: Fact;
  readonly signal: AbortSignal;
  readonly finish: (outcome: Outcome) => void;
  readonly crash: (error: Error) => void;
}

/** A session's stream on its own, with every effect in the test's hand. */
export interface StreamRig {
  readonly stream: JournaledStream<SessionViews>;
  readonly clock: ManualClock;
  readonly supervisor: Supervisor;
  readonly leadership: Leadership;
  readonly events: StreamEvent[];
  /** Effects that are running, in the order in which they were started. */
  readonly effects: OpenEffect[];
  /** How many were ever started. */
  started: number;
}

export interface RigOptions {
  /** Default `s`. */
  readonly sessionId?: string;
  readonly actors?: Partial<StreamActors>;
  readonly secrets?: readonly KnownSecret[];
  readonly owner?: string;
  readonly clock?: ManualClock;
  /** Told when an effect begins. */
  readonly onStart?: (fact: Fact) => void;
}

/** The settings of a session that needs nothing. */
export const settings: FactData<"session.configured"> = {
  model: "s/m",
  thinkingLevel: null,
  approval: "auto",
  maxToolConcurrency: null,
  maxToolTurns: null,
  script: null,
  extensions: [],
  extensionPaths: null,
  disabled: [],
  enabledOnly: null,
  includeExtensions: true,
  toolPolicy: { allow: "all", deny: [], blockedTools: [], requireApproval: [], approvals: {} },
};

let rigs = 0;

/** Starts (or resumes) a session's stream on a log. */
export async function startRig(log: EventLog, options: RigOptions = {}): Promise<StreamRig> {
  const clock = options.clock ?? new ManualClock();
  const id = options.sessionId ?? "s";
  rigs += 1;
  const leadership = await Leadership.acquire(
    log,
    `rig-${rigs}`,
    options.owner ?? `rig ${rigs}`,
    clock,
    silentLogger,
  );
  const effects: OpenEffect[] = [];
  const events: StreamEvent[] = [];
  const count = { started: 0 };
  const run = (fact: Fact, signal: AbortSignal): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const gone = (): void => void effects.splice(effects.indexOf(effect), 1);
      const effect: OpenEffect = {
        fact,
        signal,
        finish: (outcome) => (gone(), resolve(outcome)),
        crash: (error) => (gone(), reject(error)),
      };
      options.onStart?.(fact);
      count.started += 1;
      effects.push(effect);
    });
  const table: EffectTable = {
    "model.requested": {
      run: async (fact, { signal }) => {
        const { session, transcript } = stream.views;
        const requestSha256 = requestDigest(session.systemPrompt, transcript);
        const outcome = await run(fact, signal);
        return outcome.type === "model.responded"
          ? { ...outcome, data: { ...outcome.data, requestSha256 } }
          : outcome;
      },
      recover: () => Promise.resolve({ type: "model.lost", data: {} }),
      failed: () => modelFailed("internal"),
    },
    "tool_call.started": {
      run: (fact, { signal }) => run(fact, signal),
      recover: (fact) =>
        Promise.resolve(
          fact.data.idempotent
            ? "run"
            : {
                type: "tool_call.interrupted",
                data: { callId: fact.data.callId, reason: "process_died", receipt: null },
              },
        ),
      failed: (fact, error) =>
        returned(fact.data.callId, String(error), { isError: true, errorType: "internal" }),
    },
    "compaction.requested": {
      run: async (fact, { signal }) => {
        const { transcript } = stream.views;
        const outcome = await run(fact, signal);
        if (outcome.type !== "session.compacted") return outcome;
        const messages = Math.min(outcome.data.messages, messageCount(transcript));
        const { requestSha256 } = summaryRequest(transcript, { messages, kept: [] }, outcome.data.room);
        return { ...outcome, data: { ...outcome.data, messages, requestSha256 } };
      },
      recover: () => Promise.resolve({ type: "compaction.lost", data: {} }),
      failed: () => compactionFailed("internal"),
    },
    "hook.requested": {
      run: (fact, { signal }) => run(fact, signal),
      recover: (fact) => Promise.resolve(answeredBy(fact.data)),
      failed: (fact) => answeredBy(fact.data),
    },
    "model.retry_scheduled": retryEffect(clock),
    "approval.requested": {
      run: null,
      recover: () => Promise.resolve("wait"),
      failed: () => modelFailed("internal"),
    },
  };
  const stream: JournaledStream<SessionViews> = new JournaledStream({
    stream: `session-${id}`,
    log,
    leadership,
    actors: { ...sessionActors(id), check: checkFact, ...options.actors },
    effects: () => table,
    views: sessionViews,
    lastWords: ({ session }, at) => endOfGivenUp(session, at),
    clock,
    mask: createMasker(options.secrets ?? []),
    check: checkFact,
    logger: silentLogger,
    refuse: (type) =>
      type === "prompt.submitted" ? new AlreadyStreamingError(id) : new NotStreamingError(id),
  });
  stream.subscribe((event) => events.push(event));
  const supervisor = await startSupervisor(
    {
      intensity: 3,
      periodSeconds: 5,
      autoShutdown: "any_significant",
      children: [{ id: "stream", restart: "transient", significant: true, start: () => stream.start() }],
    },
    { name: "s", clock },
  );
  if (stream.version === 0) {
    await stream.submit("session.started", {
      sessionId: id,
      cwd: "/",
      systemPrompt: "",
      lineage: {
        origin: "session",
        sessionKey: `session:${id}`,
        parentSessionId: null,
        parentSessionKey: null,
        agentId: null,
        depth: 0,
        ownSystemPrompt: false,
      },
      ...settings,
    });
  }
  return {
    stream,
    clock,
    supervisor,
    leadership,
    events,
    effects,
    get started() {
      return count.started;
    },
  };
}

/** A runner that throws on a result that says `poison`. */
export function touchyRunner(): Pick<StreamActors, "member"> {
  const member = fromTransition<ToolRunnerState, ToolRunnerEvent, never, undefined, Decision>(
    (state, event, { emit }) => {
      if (event.type === "tool_call.returned") {
        const [block] = event.data.content;
        if (block?.type === "text" && block.text === "poison") throw new Error("cannot take this");
      }
      const step = stepToolRunner(state, event);
      if (step.decision !== null) emit(step.decision);
      return step.state;
    },
    newRunner,
  );
  return { member };
}

/** An answer of a model, with calls of the tool `t`. */
export function responded(callIds: readonly string[] = [], change: Partial<ModelCall> = {}): Outcome {
  return {
    type: "model.responded",
    data: {
      modelId: "m",
      content: [{ type: "text", text: "said", providerMetadata: null }],
      calls: callIds.map((callId) => ({
        callId,
        providerCallId: null,
        name: "t",
        args: { of: callId },
        argumentsText: null,
        providerMetadata: null,
        refusal: null,
        masked: false,
        parallelSafe: true,
        idempotent: false,
        approval: "auto" as const,
        hooks: 0,
        resultHooks: 0,
        ...change,
      })),
      finishReason: callIds.length > 0 ? "tool_calls" : "stop",
      usage: { ...noUsage, inputTokens: 10, outputTokens: 5 },
      requestSha256: "0".repeat(64),
      toolsSha256: "0".repeat(64),
    },
  };
}

/** What a tool gave. */
export function returned(
  callId: string,
  text: string,
  change: Partial<FactData<"tool_call.returned">> = {},
): Extract<Outcome, { type: "tool_call.returned" }> {
  return {
    type: "tool_call.returned",
    data: {
      callId,
      isError: false,
      errorType: null,
      isThrown: false,
      content: [{ type: "text", text }],
      details: null,
      trust: "trusted",
      receipt: null,
      ...change,
    },
  };
}

/** What a hook says: nothing, or that the call may not run. */
export function answeredBy(
  { callId, hook }: FactData<"hook.requested">,
  blocks = false,
): Extract<Outcome, { type: "hook.answered" }> {
  const answer = blocks && hook === "onToolCall" ? { block: "no" } : null;
  const said = { module: "m", sha256: null, handler: 0, answer, failure: null, durationMs: 1 };
  return { type: "hook.answered", data: { callId, hook, masked: false, answers: [said] } };
}

/** A failure that is not tried again. */
export function modelFailed(
  failureClass: string,
  delayMs: number | null = null,
  compaction: FactData<"model.failed">["compaction"] = null,
): Outcome {
  return {
    type: "model.failed",
    data: {
      class: failureClass,
      status: null,
      retryable: delayMs !== null,
      delayMs,
      partialText: "",
      usage: noUsage,
      requestSha256: "0".repeat(64),
      toolsSha256: "0".repeat(64),
      compaction,
    },
  };
}

/** A summary of so many messages, or of all when there are fewer. */
export function compacted(messages: number): Outcome {
  return {
    type: "session.compacted",
    data: {
      summary: "what was said",
      messages,
      kept: [],
      room: 1_000,
      leftOut: 0,
      tokensBefore: 10,
      tokensAfter: 5,
      modelId: "m",
      usage: { ...noUsage, inputTokens: 7, outputTokens: 3 },
      requestSha256: "0".repeat(64),
    },
  };
}

/** There is no summary. */
export function compactionFailed(failureClass: string): Outcome {
  return { type: "compaction.failed", data: { class: failureClass, status: null, usage: noUsage } };
}

/** Lets everything that can happen without time passing happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
