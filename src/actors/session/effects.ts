/**
 * What a session's own decisions ask of the world: a request to a model, and waiting before the next attempt.
 */
import {
  noUsage,
  type ApprovalMode,
  type FactData,
  type Json,
  type ModelCall,
  type SessionMode,
} from "../../events/index.ts";
import type { Clock, Ids, Random } from "../../ports.ts";
import {
  canRetry,
  retryDelayMs,
  type Model,
  type ModelAnswered,
  type ModelCall as AnsweredCall,
  type ModelFailed,
  type ModelTool,
} from "../../providers/index.ts";
import type { Masker } from "../../secrets/index.ts";
import {
  parseArguments,
  publishNameNormalized,
  readArguments,
  unknownTool,
  type RegisteredTool,
  type ToolRegistry,
} from "../../tools/index.ts";
import type { Effect, Outcome } from "../effect-runner.ts";
import type { SessionViews } from "../session-views.ts";
import { classOfNoModel, isModel } from "./no-model.ts";
import {
  overlengthBefore,
  overlengthRefused,
  type CompactionRules,
  type Conversation,
} from "./overlength.ts";
import { planRefusal } from "./plan.ts";
import { buildRequest, type ModelRequest } from "./request.ts";

/** What the model effect needs. */
export interface ModelEffectParts {
  readonly views: () => SessionViews;
  /** The model of the session's settings. Rejects with a `LemonError` when there is none. */
  readonly model: () => Promise<Model>;
  readonly compaction: CompactionRules;
  readonly registry: (mode: SessionMode) => ToolRegistry;
  /** The tools as the model is told of them. */
  readonly offered: (mode: SessionMode) => readonly ModelTool[];
  readonly approvalOf: (tool: RegisteredTool, args: ModelCall["args"]) => ApprovalMode;
  /** How many handlers a hook has, now. */
  readonly handlers: (hook: "onToolCall" | "onToolResult") => number;
  /** Resolves once the hooks of every fact so far have run. */
  readonly settled: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly mask: Masker;
}

/** Asks the model. A request whose process died is lost and made again: it counts as no attempt. */
export function modelEffect(parts: ModelEffectParts): Effect<"model.requested"> {
  return {
    run: async (fact, { signal, live }) => {
      await parts.settled();
      const { session, transcript } = parts.views();
      const { mode, attempt, mayCompact } = fact.data;
      const { systemPrompt } = session;
      const { thinkingLevel } = session.settings;
      const conversation: Conversation = { systemPrompt, transcript, tools: parts.offered(mode) };
      const request = buildRequest(systemPrompt, transcript, conversation.tools, parts.registry(mode));
      const model = await parts.model().catch((error: unknown) => error);
      if (!isModel(model)) return { type: "model.failed", data: noModel(model, request) };
      const due = mayCompact ? overlengthBefore(conversation, parts.compaction, model) : null;
      if (due !== null) return { type: "compaction.due", data: due };
      const shown = { text: parts.mask.pieces(), reasoning: parts.mask.pieces() };
      const show = (kind: "text" | "reasoning", text: string): void => {
        if (text !== "") live({ type: "model_delta", kind, text });
      };
      const answer = await model.request(request.context, {
        signal,
        onDelta: (delta) => {
          if (delta.type !== "tool_call") show(delta.type, shown[delta.type].push(delta.text));
        },
        responses: session.responses,
        failures: session.failures,
        ...(thinkingLevel === null ? {} : { thinkingLevel }),
        clock: parts.clock,
      });
      show("reasoning", shown.reasoning.flush());
      show("text", shown.text.flush());
      switch (answer.type) {
        case "answered":
          return { type: "model.responded", data: await answered(answer, request, mode, parts) };
        case "failed": {
          const isTooLong = mayCompact && answer.failure.class === "context_too_long";
          const compaction = isTooLong ? overlengthRefused(conversation, parts.compaction, model) : null;
          const failure = failed(answer, attempt, request, parts.random);
          return { type: "model.failed", data: { ...failure, compaction } };
        }
        case "aborted":
          return lost;
      }
    },
    recover: () => Promise.resolve(lost),
    failed: () => ({ type: "model.failed", data: internalFailure }),
  };
}

/** Waits until the next attempt is due. */
export function retryEffect(clock: Clock): Effect<"model.retry_scheduled"> {
  const due: Outcome = { type: "model.retry_due", data: {} };
  return {
    run: (fact, { signal }) =>
      new Promise((resolve) => {
        const finish = (): void => {
          cancel();
          signal.removeEventListener("abort", finish);
          resolve(due);
        };
        const cancel = clock.setTimer(Math.max(0, fact.data.dueAt - clock.now()), finish);
        signal.addEventListener("abort", finish);
        if (signal.aborted) finish();
      }),
    recover: () => Promise.resolve("run"),
    failed: () => due,
  };
}

const lost: Outcome = { type: "model.lost", data: {} };

/** Stands in for an answer that could not be recorded or that an actor crashed on. */
const internalFailure: FactData<"model.failed"> = {
  class: "internal",
  status: null,
  retryable: false,
  delayMs: null,
  partialText: "",
  usage: noUsage,
  requestSha256: "0".repeat(64),
  toolsSha256: "0".repeat(64),
  compaction: null,
};

/** There is no such model: the run ends with the error's word as its class. */
function noModel(error: unknown, { requestSha256, toolsSha256 }: ModelRequest): FactData<"model.failed"> {
  return { ...internalFailure, class: classOfNoModel(error), requestSha256, toolsSha256 };
}

async function answered(
  answer: ModelAnswered,
  { requestSha256, toolsSha256 }: ModelRequest,
  mode: SessionMode,
  parts: ModelEffectParts,
): Promise<FactData<"model.responded">> {
  const { modelId, finishReason, usage } = answer;
  return {
    modelId,
    content: answer.content.map(({ type, text, providerMetadata = null }) => ({
      type,
      text,
      providerMetadata,
    })),
    calls: await Promise.all(answer.calls.map((call) => describeCall(call, mode, parts))),
    finishReason,
    usage,
    requestSha256,
    toolsSha256,
  };
}

/** Writes what the registry says of a call into the call: the machine may not ask. */
async function describeCall(
  call: AnsweredCall,
  mode: SessionMode,
  parts: ModelEffectParts,
): Promise<ModelCall> {
  const callId = parts.ids("call");
  const match = parts.registry(mode).find(call.name);
  const found = match?.entry;
  if (match?.exact === false) publishNameNormalized(call.name, match.entry.tool.name);
  const read = await readArguments(found?.tool ?? anyParameters, call.argumentsText);
  const parsed = parseArguments(call.argumentsText);
  // What is no object is recorded as text, with the reason in the refusal.
  const args = parsed.ok ? parsed.args : null;
  // A tool that the session has and plan mode has not is no unknown one.
  const hidden =
    found === undefined && mode === "plan" ? parts.registry("normal").find(call.name) : undefined;
  const refusal =
    hidden === undefined ? refusalOf(call.name, found, read) : planRefusal(hidden.entry.tool.name);
  return {
    callId,
    providerCallId: call.providerCallId,
    name: found?.tool.name ?? call.name,
    args,
    argumentsText: args === null ? call.argumentsText : null,
    providerMetadata: call.providerMetadata ?? null,
    refusal,
    // A call's arguments are JSON: they were parsed from text.
    masked: args !== null && parts.mask.json(args as Json) !== args,
    parallelSafe: found?.tool.parallelSafe ?? false,
    idempotent: found?.tool.idempotent ?? false,
    approval: found === undefined ? "auto" : parts.approvalOf(found, args),
    hooks: refusal === null ? parts.handlers("onToolCall") : 0,
    resultHooks: refusal === null ? parts.handlers("onToolResult") : 0,
  };
}

const anyParameters = { parameters: { type: "object" } };

function refusalOf(
  name: string,
  found: RegisteredTool | undefined,
  read: Awaited<ReturnType<typeof readArguments>>,
): ModelCall["refusal"] {
  if (found === undefined) {
    const [block] = unknownTool(name).content;
    return { errorType: "unknown_tool", message: block?.type === "text" ? block.text : name, errors: [] };
  }
  if (read.ok) return null;
  return { errorType: read.errorType, message: read.message, errors: [...(read.errors ?? [])] };
}

function failed(
  answer: ModelFailed,
  attempt: number,
  { requestSha256, toolsSha256 }: ModelRequest,
  random: Random,
): Omit<FactData<"model.failed">, "compaction"> {
  const { failure, partialText, usage } = answer;
  return {
    class: failure.class,
    status: failure.status,
    retryable: failure.retryable,
    delayMs: canRetry(failure, attempt) ? retryDelayMs(attempt, failure.retryAfterMs, random()) : null,
    partialText,
    usage,
    requestSha256,
    toolsSha256,
  };
}
