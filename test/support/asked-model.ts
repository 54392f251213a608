import type { Model, ModelAnswer, ModelContext, ModelRequestOptions } from "../../src/providers/index.ts";
import { NO_USAGE } from "../../src/providers/models/port.ts";

/** A request that waits for the test to answer it. */
export interface Request {
  readonly context: ModelContext;
  readonly options: ModelRequestOptions;
  readonly answer: (answer: ModelAnswer) => void;
}

/** A model whose answers the test gives, one by one. */
export class AskedModel implements Model {
  readonly ref = "asked/model";
  readonly contextWindow?: number;
  readonly requests: Request[] = [];
  #waiting: (() => void)[] = [];

  constructor(contextWindow?: number) {
    if (contextWindow !== undefined) this.contextWindow = contextWindow;
  }

  request(context: ModelContext, options: ModelRequestOptions): Promise<ModelAnswer> {
    return new Promise((answer) => {
      this.requests.push({ context, options, answer });
      for (const look of this.#waiting.splice(0)) look();
    });
  }

  /** The request with this number, from 0, once it is made. */
  async asked(index: number): Promise<Request> {
    for (;;) {
      const request = this.requests[index];
      if (request !== undefined) return request;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

export const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 1, reasoningTokens: 2 };

/** A whole answer. */
export function said(
  text: string,
  more: Partial<Extract<ModelAnswer, { type: "answered" }>> = {},
): ModelAnswer {
  return {
    type: "answered",
    content: [{ type: "text", text }],
    calls: [],
    finishReason: "stop",
    usage,
    modelId: "model-1",
    ...more,
  };
}

/** A failure. */
export function broke(
  name: Extract<ModelAnswer, { type: "failed" }>["failure"]["class"],
  retryAfterMs: number | null = null,
  partialText = "",
): ModelAnswer {
  const failure = { class: name, status: null, retryable: false, retryAfterMs };
  return { type: "failed", failure, partialText, usage: NO_USAGE };
}

/** All that a request shows, as text. */
export function shownIn({ context }: Pick<Request, "context">): string[] {
  return context.messages.map((message) => {
    if (message.role === "tool") return JSON.stringify(message.results);
    return `${message.role}: ${message.content.map((part) => ("text" in part ? part.text : part.type)).join("\n")}`;
  });
}
