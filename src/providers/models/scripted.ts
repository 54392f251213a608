/**
 * A model that says what it was told to say: it runs everything but the network.
 * It loads no AI SDK and no schema library, and it keeps no place of its own.
 */
import type { Clock } from "../../ports.ts";
import type {
  Model,
  ModelAborted,
  ModelAnswer,
  ModelCall,
  ModelContext,
  ModelRequestOptions,
  ModelUsage,
  ReasoningPart,
  TextPart,
} from "./port.ts";
import { NO_USAGE } from "./port.ts";
import { classOfStatus, failureOf, MAX_RETRY_AFTER_MS } from "./retry-policy.ts";
import type { Script, ScriptedToolCall, ScriptedTurn } from "./script.ts";
import { firstCharacters, piecesOf } from "./text.ts";

/** Characters of one delta. */
const PIECE_SIZE = 16;

/**
 * A model that answers by a script.
 *
 * The turn is chosen by the answers and failures that the session already has, so a resumed session goes on where it
 * was, and one script serves any number of sessions. A request past the last turn fails as `script_exhausted`, which
 * is not tried again.
 *
 * @param script - the turns, or `{ turns }` as {@link parseScript} gives it
 * @param ref - how the model is called; default `scripted/script`
 * @example
 * scriptedModel([{ toolCalls: [{ name: "bash", args: { command: "ls" } }] }, { text: "Done." }])
 */
export function scriptedModel(script: Script | readonly ScriptedTurn[], ref = "scripted/script"): Model {
  const turns = "turns" in script ? script.turns : script;
  return {
    ref,
    request: async (context, options) => {
      const turn = turns[options.responses + options.failures];
      if (turn === undefined) {
        return { type: "failed", failure: failureOf("script_exhausted"), partialText: "", usage: NO_USAGE };
      }
      if (turn.delayMs !== undefined) await delay(turn.delayMs, options.clock, options.signal);
      return play(turn, context, options, ref);
    },
  };
}

function play(
  turn: ScriptedTurn,
  context: ModelContext,
  options: ModelRequestOptions,
  ref: string,
): ModelAnswer {
  const { signal, onDelta } = options;
  if (signal.aborted) return aborted("");
  if (turn.error !== undefined) {
    const { status, retryAfterMs = null } = turn.error;
    const waitMs = retryAfterMs === null ? null : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    const failure = failureOf(classOfStatus(status), { status, retryAfterMs: waitMs });
    return { type: "failed", failure, partialText: "", usage: NO_USAGE };
  }

  for (const text of piecesOf(turn.reasoning ?? "", PIECE_SIZE)) {
    onDelta({ type: "reasoning", text });
    // A listener may abort between two pieces, as a person at a terminal does.
    if (signal.aborted) return aborted("");
  }
  let said = "";
  const text =
    turn.cutAfter === undefined ? (turn.text ?? "") : firstCharacters(turn.text ?? "", turn.cutAfter);
  for (const piece of piecesOf(text, PIECE_SIZE)) {
    said += piece;
    onDelta({ type: "text", text: piece });
    if (signal.aborted) return aborted(said);
  }
  const usage = usageOf(turn, said, context);
  if (turn.cutAfter !== undefined) {
    return { type: "failed", failure: failureOf("incomplete_stream"), partialText: said, usage };
  }
  for (const { name } of turn.toolCalls ?? []) {
    onDelta({ type: "tool_call", name });
    if (signal.aborted) return aborted(said);
  }

  const calls = (turn.toolCalls ?? []).map(callOf);
  const content: (TextPart | ReasoningPart)[] = [];
  if (turn.reasoning !== undefined) content.push({ type: "reasoning", text: turn.reasoning });
  if (turn.text !== undefined) content.push({ type: "text", text: turn.text });
  const finishReason = turn.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");
  return { type: "answered", content, calls, finishReason, usage, modelId: ref };
}

function callOf(call: ScriptedToolCall): ModelCall {
  const argumentsText = call.rawArguments ?? (call.args === undefined ? "" : JSON.stringify(call.args));
  return { providerCallId: call.id ?? null, name: call.name, argumentsText };
}

/** Four characters to the token: not true of any model, but the same every time. */
function usageOf(turn: ScriptedTurn, said: string, context: ModelContext): ModelUsage {
  const reasoningTokens = tokensIn(turn.reasoning ?? "");
  const calls = (turn.toolCalls ?? []).map((call) => call.name + callOf(call).argumentsText).join("");
  return {
    inputTokens: tokensIn(context.systemPrompt) + tokensIn(JSON.stringify(context.messages)),
    outputTokens: reasoningTokens + tokensIn(said) + tokensIn(calls),
    cachedInputTokens: 0,
    reasoningTokens,
  };
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

function aborted(partialText: string): ModelAborted {
  return { type: "aborted", partialText };
}

/** Resolves after `delayMs`, or at once when the signal fires: the caller then asks the signal. */
function delay(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let cancel = (): void => undefined; // a clock of a test may fire before it hands back its cancel
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    signal.addEventListener("abort", done);
    cancel = clock.setTimer(delayMs, done);
  });
}
