/** Asks a model until it has answered a question, within a deadline. docs/reference/side-queries.md, "The answer" */
import { LemonError } from "../../errors.ts";
import { addUsage, noUsage, type ThinkingLevel, type Usage } from "../../events/index.ts";
import type { Clock, Ids, Random } from "../../ports.ts";
import {
  canRetry,
  retryDelayMs,
  type AssistantPart,
  type Model,
  type ModelAnswered,
  type ModelMessage,
  type ToolResultPart,
} from "../../providers/index.ts";
import type { Deadline } from "./deadline.ts";
import { NO_MODEL, SideQueryError } from "./errors.ts";

/** What is asked. */
export interface SideQuestion {
  readonly model: Model;
  readonly systemPrompt: string;
  /** The question is the last of them. */
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens: number | null;
  readonly thinkingLevel: ThinkingLevel | null;
}

/** What it is asked with. */
export interface AskingParts {
  readonly deadline: Deadline;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

/** What came of it. */
export interface SideAnswer {
  /** Without reasoning; not blank. */
  readonly text: string;
  readonly modelId: string;
}

/** A model has not answered; `why` is a bounded word for people who look into the log, never text of a provider. */
export class NoAnswerError extends Error {
  readonly why: string;

  constructor(why: string) {
    super(`no answer: ${why}`);
    this.name = "NoAnswerError";
    this.why = why;
  }
}

const NO_TOOLS = "There are no tools here. Answer the question in words, from what you have been shown.";

/** Asks for one side query. What it used so far can be read at any time, after a failure too. */
export class Asking {
  readonly #parts: AskingParts;
  #usage: Usage = noUsage;
  #responses = 0;
  #failures = 0;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Of all requests so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /**
   * At most two answers: calls in the first are answered by an error, and then the second counts.
   *
   * @throws SideQueryError `timeout`, `cancelled`; NoAnswerError
   */
  async answer(question: SideQuestion): Promise<SideAnswer> {
    const first = await this.#request(question, question.messages);
    if (first.calls.length === 0) return textOf(first);
    return textOf(await this.#request(question, [...question.messages, ...this.#refused(first)]));
  }

  /** One answer; a request that failed is made again as one of a session is, while there is time for it. */
  async #request(question: SideQuestion, messages: readonly ModelMessage[]): Promise<ModelAnswered> {
    const { deadline, random } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#once(question, messages);
      if (answer.type === "answered") return answer;
      if (answer.type === "aborted") throw new NoAnswerError("internal");
      const { failure } = answer;
      if (!canRetry(failure, attempt)) throw new NoAnswerError(failure.class);
      const delayMs = retryDelayMs(attempt, failure.retryAfterMs, random());
      // It could only run into the deadline, and who asked need not wait for that.
      if (delayMs >= deadline.remainingMs) throw new NoAnswerError(failure.class);
      await deadline.sleep(delayMs);
    }
  }

  async #once(
    { model, systemPrompt, maxOutputTokens, thinkingLevel }: SideQuestion,
    messages: readonly ModelMessage[],
  ): ReturnType<Model["request"]> {
    const { deadline, clock } = this.#parts;
    const answer = await deadline.bound(() =>
      model.request(
        { systemPrompt, messages, tools: [] },
        {
          signal: deadline.signal,
          onDelta: () => undefined,
          responses: this.#responses,
          failures: this.#failures,
          ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
          ...(thinkingLevel === null ? {} : { thinkingLevel }),
          clock,
        },
      ),
    );
    if (answer.type === "answered") this.#responses += 1;
    if (answer.type === "failed") this.#failures += 1;
    if (answer.type !== "aborted") this.#usage = addUsage(this.#usage, answer.usage);
    return answer;
  }

  /** The answer as it was, and an error for each of its calls. */
  #refused({ content, calls }: ModelAnswered): ModelMessage[] {
    const said: AssistantPart[] = [...content];
    const results: ToolResultPart[] = [];
    for (const { name, argumentsText, providerMetadata } of calls) {
      const callId = this.#parts.ids("call");
      said.push({
        type: "tool_call",
        callId,
        name,
        args: null,
        argumentsText,
        ...(providerMetadata === undefined ? {} : { providerMetadata }),
      });
      results.push({ callId, name, content: [{ type: "text", text: NO_TOOLS }], isError: true });
    }
    return [
      { role: "assistant", content: said },
      { role: "tool", results },
    ];
  }
}

/** Half an answer is none. */
function textOf({ content, finishReason, modelId }: ModelAnswered): SideAnswer {
  if (finishReason === "length" || finishReason === "content_filter") throw new NoAnswerError(finishReason);
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text.trim() === "") throw new NoAnswerError("empty_answer");
  return { text, modelId };
}

/** The word for a failure that stands in the log; `null`: the reason says all. */
export function whyOf(error: unknown): string | null {
  if (error instanceof NoAnswerError) return error.why;
  if (error instanceof LemonError && NO_MODEL.has(error.reason)) return error.reason;
  return error instanceof SideQueryError ? null : "internal";
}
