/** Runs the handlers that judge a call or review its result, and records what each answered. */
import type { FactData, FactOf, Json, SessionMode } from "../../events/index.ts";
import type { HandlerOutcome } from "../../extensions/index.ts";
import { blockOf } from "../../hooks/index.ts";
import type { Logger } from "../../ports.ts";
import type { Effect, Outcome } from "../effect-runner.ts";
import type { CallView } from "../../projections/index.ts";
import type { Masker } from "../../secrets/index.ts";
import type { ToolParameters, ToolRegistry } from "../../tools/index.ts";
import { realArguments, usableArguments, type ArgumentSources } from "./call-arguments.ts";
import type { HookSource } from "../session/hook-source.ts";
import type { SessionViews } from "../session-views.ts";
import { withReceipt } from "./receipt-details.ts";

/** Milliseconds that each handler has, unless its tool has less. */
const INTERCEPTOR_MS = 60_000;

/** What running intercepting hooks needs. */
export interface HookEffectParts extends InterceptorParts {
  readonly mask: Masker;
  readonly settled: () => Promise<void>;
}

/** What asking handlers needs. */
export interface InterceptorParts {
  readonly views: () => Pick<SessionViews, "session">;
  readonly sources: () => readonly HookSource[];
  readonly registry: (mode: SessionMode) => ToolRegistry;
  readonly unmasked: ArgumentSources["unmasked"];
  readonly secrets: ArgumentSources["secrets"];
  readonly logger: Logger;
}

type Requested = Pick<FactOf<"hook.requested">, "data">;
type Answers = FactData<"hook.answered">["answers"];

/** The effect of `hook.requested`. */
export function hookEffect(parts: HookEffectParts): Effect<"hook.requested"> {
  return {
    run: async (fact) => {
      await parts.settled();
      const answers = await askInterceptors(fact, parts);
      // The answers are JSON: they were copied where they were made.
      const given = answers.map(({ answer }) => answer as Json);
      return answered(fact, answers, parts.mask.json(given) !== given);
    },
    // Whoever was asked may have decided, and nobody knows what: a call is blocked, a result stays as it is.
    recover: (fact) =>
      Promise.resolve(answered(fact, [lost("the process died before its answer was recorded")])),
    failed: (fact) => answered(fact, [lost("its answer could not be recorded")]),
  };
}

/** Has the handlers of the hook judge the call, or review its result; their answers, in their order. */
export async function askInterceptors(fact: Requested, parts: InterceptorParts): Promise<Answers> {
  const { hook, callId } = fact.data;
  const call = parts.views().session.calls[callId];
  const tool = parts.registry(call?.mode ?? "normal").find(call?.name ?? "")?.entry.tool;
  const shown = call === undefined || tool === undefined ? "lost" : await eventOf(fact, call, tool, parts);
  if (shown === "lost") return [lost("the call can't be shown to it any more")];
  if (shown === "unusable") return [];
  const handlerMs = Math.min(INTERCEPTOR_MS, tool?.timeoutMs ?? INTERCEPTOR_MS);
  const untilBlocked = hook === "onToolCall";
  const answers: Answers[number][] = [];
  for (const source of parts.sources()) {
    if ((source.hooks[hook] ?? 0) === 0) continue;
    const outcomes = await source.runHooks(hook, [shown.event], { handlerMs, eventMs: null, untilBlocked });
    for (const [handler, outcome] of outcomes.entries()) {
      const answer = answerOf(source, handler, outcome);
      if (answer === null) continue;
      answers.push(answer);
      tellFailure(answer, fact, parts);
      if (untilBlocked && (answer.failure !== null || blockOf(answer.answer) !== null)) return answers;
    }
  }
  // Handlers were there when the model answered. A guard that has gone since must not let the call through.
  const expected = hook === "onToolCall" ? (call?.hooks ?? 0) : 0;
  return answers.length < expected ? [...answers, lost("its extension is not there any more")] : answers;
}

/** What a handler is given. `lost`: the arguments are not there any more. `unusable`: the call will be refused for them. */
async function eventOf(
  { data: { hook, callId } }: Requested,
  { name, returned }: CallView,
  tool: ToolParameters,
  parts: InterceptorParts,
): Promise<{ readonly event: Json } | "lost" | "unusable"> {
  const { sessionId, cwd } = parts.views().session;
  const real = realArguments(callId, parts);
  const usable = real === null ? null : await usableArguments(tool, real, parts.secrets);
  if (usable === null || !usable.ok) return usable === null ? "lost" : "unusable";
  const about = { toolCallId: callId, toolName: name, args: usable.args as Json, cwd, sessionId };
  if (hook === "onToolCall") return { event: about };
  if (returned === null) return { event: { ...about, result: { error: "Tool call denied" }, isError: true } };
  const { content, isError, isThrown } = returned;
  const details = withReceipt(returned.details, returned.receipt);
  const [block] = content;
  const message = block?.type === "text" ? block.text : "";
  const result: Json = isThrown ? { error: message } : { content: content as Json, details: details as Json };
  return { event: { ...about, result, isError } };
}

function answerOf(source: HookSource, handler: number, outcome: HandlerOutcome): Answers[number] | null {
  if (outcome.status === "not_run") return null;
  const { module, sha256 } = source;
  const { durationMs } = outcome;
  return outcome.status === "answered"
    ? { module, sha256, handler, answer: outcome.answer, failure: null, durationMs }
    : { module, sha256, handler, answer: null, failure: { ...outcome.failure }, durationMs };
}

/** The name of the tool and how the hook failed; never an argument. */
function tellFailure(
  { module, failure }: Answers[number],
  { data: { hook, callId } }: Requested,
  { views, logger }: InterceptorParts,
): void {
  if (failure === null) return;
  const tool = views().session.calls[callId]?.name;
  logger.warn({ hook, module, tool, failure: failure.kind, class: failure.class }, "a hook failed");
}

function lost(message: string): Answers[number] {
  const failure = { kind: "crash" as const, class: "crash", message };
  return { module: "", sha256: null, handler: 0, answer: null, failure, durationMs: 0 };
}

function answered({ data: { callId, hook } }: Requested, answers: Answers, masked = false): Outcome {
  return { type: "hook.answered", data: { callId, hook, masked, answers } };
}
