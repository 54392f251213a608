import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveModel, scriptedModel, UnknownModelError } from "../../src/providers/index.ts";
import { anthropic, openai, openAiCompatible } from "../../src/providers/models/ai-sdk-providers.ts";
import { ask, startRawServer, streaming, textOf } from "./support.ts";
import type { RawServer } from "./support.ts";
import { chat, messages } from "./wire.ts";

let server: RawServer;
beforeAll(async () => {
  server = await startRawServer();
});
afterAll(() => server.close());

/** Answers in chat's words, and keeps where it was asked and with which key. */
function listen(
  answer = chat.answer({ text: ["hi"], finish: "stop" }),
): { path: string; key: string | undefined }[] {
  const requests: { path: string; key: string | undefined }[] = [];
  server.handle = (response, request, body) => {
    const key = request.headers.authorization ?? (request.headers["x-api-key"] as string | undefined);
    requests.push({ path: request.url ?? "", key });
    streaming([answer])(response, request, body);
  };
  return requests;
}

describe("a reference", () => {
  test.each(["", "gpt", "/gpt", "openai/", "nobody/gpt", "constructor/x", "__proto__/x", "toString/x"])(
    "%j names no model",
    (ref) => {
      const resolve = (): unknown =>
        resolveModel(ref, { env: {}, configured: { local: { baseUrl: "http://127.0.0.1/v1" } } });

      expect(resolve).toThrow(UnknownModelError);
      expect(resolve).toThrow("anthropic, local, openai");
      expect(resolve).toThrow(
        expect.objectContaining({ code: "LEMON_UNKNOWN_MODEL", reason: "unknown_model" }),
      );
    },
  );

  test("that has no slash is told what one looks like", () => {
    expect(() => resolveModel("gpt", { env: {} })).toThrow("provider/model-id");
  });

  test("may have slashes in the model's id", async () => {
    const requests = listen();
    const model = resolveModel("hub/meta/llama-3", {
      env: {},
      configured: { hub: { baseUrl: `${server.url}/api/v1/` } },
    });
    expect(model.ref).toBe("hub/meta/llama-3");
    expect(textOf((await ask(model)).answer)).toBe("hi");
    expect(server.bodies.at(-1)).toMatchObject({ model: "meta/llama-3" });
    expect(requests).toEqual([{ path: "/api/v1/chat/completions", key: undefined }]);
  });

  test("may name a model of the embedding program, by provider or as a whole", async () => {
    const script = scriptedModel([{ text: "scripted" }]);
    const sdk = createOpenAICompatible({ name: "sdk", baseURL: `${server.url}/v1` }).chatModel("x");
    const models = { scripted: script, "openai/gpt": script, sdk };
    listen();
    const said = async (ref: string): Promise<string> =>
      textOf((await ask(resolveModel(ref, { env: {}, models }))).answer);

    expect(await said("scripted")).toBe("scripted");
    expect(await said("scripted/any")).toBe("scripted");
    expect(await said("openai/gpt")).toBe("scripted");
    expect(await said("sdk/x")).toBe("hi");
    expect(resolveModel("scripted/any", { env: {}, models }).ref).toBe("scripted/any");
  });

  test("of the program goes before the configuration, and that before what is built in", async () => {
    const requests = listen();
    const configured = { openai: { baseUrl: `${server.url}/configured` } };
    await ask(resolveModel("openai/x", { env: { OPENAI_BASE_URL: `${server.url}/env` }, configured }));
    expect(requests).toEqual([{ path: "/configured/chat/completions", key: undefined }]);

    const models = { openai: scriptedModel([{ text: "program" }]) };
    expect(textOf((await ask(resolveModel("openai/x", { env: {}, configured, models }))).answer)).toBe(
      "program",
    );
  });
});

describe("keys and base URLs", () => {
  test("come from the environment that is passed in, at each request", async () => {
    const env: Record<string, string | undefined> = {};
    const options = { env, configured: { hub: { baseUrl: `${server.url}/v1`, apiKeyEnv: "HUB_KEY" } } };
    const model = resolveModel("hub/x", options);
    expect((await ask(model)).answer).toEqual({
      type: "failed",
      failure: {
        class: "no_api_key",
        status: null,
        retryable: false,
        retryAfterMs: null,
        apiKeyEnv: "HUB_KEY",
      },
      partialText: "",
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
    });

    const requests = listen();
    env["HUB_KEY"] = "key-1";
    await ask(model);
    env["HUB_KEY"] = "key-2";
    await ask(model);
    expect(requests.map(({ key }) => key)).toEqual(["Bearer key-1", "Bearer key-2"]);
  });

  test("give one model object for as long as they are the same", async () => {
    const env: Record<string, string | undefined> = { HUB_KEY: "key-1" };
    const hub = { baseUrl: `${server.url}/v1`, apiKeyEnv: "HUB_KEY" };
    const first = await openAiCompatible("hub", "x", hub, env)();
    expect(await openAiCompatible("hub", "x", hub, env)()).toBe(first);
    expect(await openAiCompatible("hub", "y", hub, env)()).not.toBe(first);
    expect(await openAiCompatible("hub", "x", hub, { ...env })()).not.toBe(first);
    env["HUB_KEY"] = "key-2";
    expect(await openAiCompatible("hub", "x", hub, env)()).not.toBe(first);
  });

  test.each([
    ["openai/gpt", "OPENAI_API_KEY"],
    ["anthropic/claude", "ANTHROPIC_API_KEY"],
  ])("%s wants %s, and the process's own environment is not looked at", async (ref, variable) => {
    const before = process.env[variable];
    process.env[variable] = "key-of-the-process";
    try {
      const { answer } = await ask(resolveModel(ref, { env: { [variable]: " " } }));
      expect(answer).toMatchObject({ type: "failed", failure: { class: "no_api_key", apiKeyEnv: variable } });
    } finally {
      if (before === undefined) delete process.env[variable];
      else process.env[variable] = before;
    }
  });

  test("a foreign OPENAI_BASE_URL is asked through chat completions, with a key or without", async () => {
    const requests = listen();
    const base = { OPENAI_BASE_URL: `${server.url}/v1/` };
    await ask(resolveModel("openai/x", { env: base }));
    await ask(resolveModel("openai/x", { env: { ...base, OPENAI_API_KEY: "key" } }));
    expect(requests).toEqual([
      { path: "/v1/chat/completions", key: undefined },
      { path: "/v1/chat/completions", key: "Bearer key" },
    ]);
  });

  test.each([
    [{}, "openai.responses"],
    [{ OPENAI_BASE_URL: " " }, "openai.responses"],
    [{ OPENAI_BASE_URL: "https://api.openai.com/v1" }, "openai.responses"],
    [{ OPENAI_BASE_URL: "https://eu.api.openai.com/v1" }, "openai.responses"],
    [{ OPENAI_BASE_URL: "https://api.openai.com.example.net/v1" }, "openai.chat"],
    [{ OPENAI_BASE_URL: "http://localhost:11434/v1" }, "openai.chat"],
  ])("with %o OpenAI is asked through %s", async (env, provider) => {
    const model = await openai("x", { ...env, OPENAI_API_KEY: "key" })();
    expect(model.provider).toBe(provider);
  });

  test.each([
    ["", "/v1/messages"],
    ["/", "/v1/messages"],
    ["/v1", "/v1/messages"],
    ["/proxy/v1", "/proxy/v1/messages"],
  ])("ANTHROPIC_BASE_URL with the path %j is asked at %s", async (path, expected) => {
    const requests = listen(messages.answer({ text: ["hi"], finish: "end_turn" }));
    const env = { ANTHROPIC_BASE_URL: `${server.url}${path}`, ANTHROPIC_API_KEY: "key" };
    const { answer } = await ask(resolveModel("anthropic/x", { env }));

    expect(textOf(answer)).toBe("hi");
    expect(requests).toEqual([{ path: expected, key: "key" }]);
  });

  test("a base URL that is none is refused at once, by name and without its value", () => {
    const bad = { code: "LEMON_INVALID_CONFIG" };
    expect(() => openai("x", { OPENAI_BASE_URL: "secret" })).toThrow(
      expect.objectContaining({ ...bad, field: "OPENAI_BASE_URL" }),
    );
    expect(() => anthropic("x", { ANTHROPIC_BASE_URL: "file:///etc" })).toThrow(
      expect.objectContaining({ ...bad, field: "ANTHROPIC_BASE_URL" }),
    );
    expect(() => resolveModel("hub/x", { env: {}, configured: { hub: { baseUrl: "" } } })).toThrow(
      expect.objectContaining({ ...bad, field: "models.hub.base_url" }),
    );
  });
});
