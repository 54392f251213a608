/** The same server asked in three ways, through the providers that the runtime really uses. */
import { createOpenAI } from "@ai-sdk/openai";
import type { Model } from "../../src/providers/index.ts";
import { resolveModel } from "../../src/providers/index.ts";
import { chat, messages, responses } from "./wire.ts";
import type { WireAnswer } from "./wire.ts";

export interface Protocol {
  readonly name: string;
  readonly answer: (answer: WireAnswer) => string;
  readonly model: (url: string) => Model;
  /** The words for: done, done with calls, too long, filtered. */
  readonly words: {
    readonly stop: string;
    readonly calls: string;
    readonly length: string;
    readonly filter: string;
  };
}

export const compatibleProtocol: Protocol = {
  name: "openai-compatible chat",
  answer: chat.answer,
  model: (url) =>
    resolveModel("openai/wire-1", { env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "key" } }),
  words: { stop: "stop", calls: "tool_calls", length: "length", filter: "content_filter" },
};

export const anthropicProtocol: Protocol = {
  name: "anthropic messages",
  answer: messages.answer,
  model: (url) =>
    resolveModel("anthropic/wire-1", { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "key" } }),
  words: { stop: "end_turn", calls: "tool_use", length: "max_tokens", filter: "refusal" },
};

/** A loopback server is a foreign one, so the Responses API is asked for by hand here. */
export const responsesProtocol: Protocol = {
  name: "openai responses",
  answer: responses.answer,
  model: (url) => {
    const model = createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).responses("wire-1");
    return resolveModel("wire/wire-1", { env: {}, models: { wire: model } });
  },
  words: { stop: "completed", calls: "completed", length: "max_output_tokens", filter: "content_filter" },
};

/** OpenAI's own chat model, which an embedding program may hand over. */
const chatProtocol: Protocol = {
  name: "openai chat",
  answer: chat.answer,
  model: (url) => {
    const model = createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).chat("wire-1");
    return resolveModel("wire/wire-1", { env: {}, models: { wire: model } });
  },
  words: { stop: "stop", calls: "tool_calls", length: "length", filter: "content_filter" },
};

export const protocols: readonly Protocol[] = [
  compatibleProtocol,
  anthropicProtocol,
  responsesProtocol,
  chatProtocol,
];
