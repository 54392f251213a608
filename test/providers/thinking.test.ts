/** How a level of thinking goes over the wire, to each provider in its own words. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  resolveModel,
  type LanguageModel,
  type Model,
  type ModelProvider,
} from "../../src/providers/index.ts";
import type { ThinkingLevel } from "../../src/events/index.ts";
import { anthropicProtocol, compatibleProtocol, responsesProtocol } from "./protocols.ts";
import { ask, contextOf, startRawServer, streaming, type RawServer } from "./support.ts";

let server: RawServer;
beforeAll(async () => {
  server = await startRawServer();
});
beforeEach(() => {
  server.bodies.length = 0;
});
afterAll(() => server.close());

const given = (model: LanguageModel): Model =>
  resolveModel("given/model", { env: {}, models: { given: model } });

async function sent(
  model: Model,
  answer: string,
  thinkingLevel?: ThinkingLevel,
): Promise<Record<string, unknown>> {
  server.handle = streaming([answer]);
  const { answer: got } = await ask(
    model,
    { maxOutputTokens: 100, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) },
    contextOf(),
  );
  expect(got.type).toBe("answered");
  return server.bodies.at(-1) as Record<string, unknown>;
}

describe("Anthropic", () => {
  const answer = anthropicProtocol.answer({ text: ["ok"], finish: "end_turn" });
  const model = (modelId: string): Model =>
    given(createAnthropic({ apiKey: "key", baseURL: `${server.url}/v1` })(modelId));

  test("a level is a budget, for which room is made in the answer", async () => {
    const body = await sent(model("claude-sonnet-4-5"), answer, "medium");
    expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 10_240 }, max_tokens: 10_340 });
  });

  test("off says so, and nothing said says nothing", async () => {
    expect(await sent(model("claude-sonnet-4-5"), answer, "off")).toMatchObject({
      thinking: { type: "disabled" },
      max_tokens: 100,
    });
    expect(await sent(model("claude-sonnet-4-5"), answer)).not.toHaveProperty("thinking");
  });

  test("a model that takes no budget is told an effort", async () => {
    const body = await sent(model("claude-opus-5-5"), answer, "xhigh");
    expect(body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } });
    expect(await sent(model("claude-haiku-5-5"), answer, "minimal")).toMatchObject({
      output_config: { effort: "low" },
    });
  });
});

describe("OpenAI", () => {
  const answer = responsesProtocol.answer({ text: ["ok"], finish: "completed" });
  const model = (modelId: string): Model =>
    given(createOpenAI({ apiKey: "key", baseURL: `${server.url}/v1` }).responses(modelId));

  test.each([
    ["gpt-5", "off", "minimal"],
    ["gpt-5", "xhigh", "high"],
    ["gpt-5.1", "minimal", "low"],
    ["gpt-5.1", "off", "none"],
    ["gpt-5.2-pro", "xhigh", "xhigh"],
    ["o3", "off", "low"],
    ["o4-mini", "medium", "medium"],
    ["gpt-6", "off", "low"],
  ] as const)("%s is told %s as %s, and still to keep nothing", async (modelId, level, effort) => {
    const body = await sent(model(modelId), answer, level);
    expect(body).toMatchObject({ store: false, reasoning: { effort } });
  });

  test("a model that can't think is asked as ever", async () => {
    const body = await sent(model("gpt-4o"), answer, "high");
    expect(body).toMatchObject({ store: false });
    expect(body).not.toHaveProperty("reasoning");
  });

  test("OpenAI's chat completions have a member of their own", async () => {
    const chat = given(createOpenAI({ apiKey: "key", baseURL: `${server.url}/v1` }).chat("o3"));
    const said = compatibleProtocol.answer({ text: ["ok"], finish: "stop" });
    expect(await sent(chat, said, "high")).toMatchObject({ reasoning_effort: "high" });
  });
});

describe("a server that speaks OpenAI's chat completions", () => {
  const answer = compatibleProtocol.answer({ text: ["ok"], finish: "stop" });

  test("is told the word as it is, and nothing when nothing is said", async () => {
    const model = compatibleProtocol.model(server.url);
    expect(await sent(model, answer, "xhigh")).toMatchObject({ reasoning_effort: "xhigh" });
    expect(await sent(model, answer, "off")).toMatchObject({ reasoning_effort: "none" });
    expect(await sent(model, answer)).not.toHaveProperty("reasoning_effort");
  });
});

test("a provider of an extension is told the level", async () => {
  const told: unknown[] = [];
  const provider: ModelProvider = {
    stream: (_model, _context, options) => {
      told.push(options.thinkingLevel);
      return (async function* () {
        yield { type: "finish", finishReason: "stop", usage: {} };
      })();
    },
  };
  const model = resolveModel("mine/model", { env: {}, models: { mine: provider } });
  await ask(model, { thinkingLevel: "low" });
  await ask(model);
  expect(told).toEqual(["low", undefined]);
});
