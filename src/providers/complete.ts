/** Asks a model once, for what is no turn of a session: no tools, no further attempt. */
import type { Clock } from "../ports.ts";
import { ask } from "./ask.ts";
import type { Model, ModelFailureClass, ModelFinishReason, ModelMessage, ModelUsage } from "./models/port.ts";

/** What is asked, and within which bounds. */
export interface CompletionRequest {
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly temperature?: number;
  readonly maxOutputTokens: number;
  /** Milliseconds, over all. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * How it ended. `text` has no reasoning, and is whole only with the finish reason `stop`; calls for tools, which were not
 * offered, are dropped. `failure` is a bounded word, never text of a provider.
 */
export type Completion =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finishReason: ModelFinishReason;
      readonly modelId: string;
      readonly usage: ModelUsage;
    }
  | { readonly ok: false; readonly failure: "timeout" | "aborted" | "internal" | ModelFailureClass };

/** One request to a model. Never rejects, and ends in time whatever the model does. */
export async function complete(model: Model, request: CompletionRequest, clock: Clock): Promise<Completion> {
  const { systemPrompt, messages, temperature, maxOutputTokens, timeoutMs, signal } = request;
  const asked = await ask(
    (either) =>
      model.request(
        { systemPrompt, messages, tools: [] },
        {
          signal: either,
          onDelta: () => undefined,
          responses: 0,
          failures: 0,
          maxOutputTokens,
          ...(temperature === undefined ? {} : { temperature }),
          clock,
        },
      ),
    { clock, timeoutMs, signal },
  );
  if (!asked.ok) {
    const isEnd = asked.failure === "timeout" || asked.failure === "aborted";
    return { ok: false, failure: isEnd ? asked.failure : "internal" };
  }
  const answer = asked.value;
  if (answer.type === "aborted") return { ok: false, failure: "aborted" };
  if (answer.type === "failed") return { ok: false, failure: answer.failure.class };
  const { content, finishReason, modelId, usage } = answer;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { ok: true, text, finishReason, modelId, usage };
}
