import { expect, test } from "vitest";
import { complete, scriptedModel, type Model, type ModelRequestOptions } from "../../src/providers/index.ts";
import { providedModel } from "../../src/providers/models/model-provider.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { gate } from "../support/runtimes.ts";

const request = {
  systemPrompt: "Be brief.",
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello?" }] }],
  maxOutputTokens: 100,
  timeoutMs: 1_000,
};

test("an answer is its text without reasoning, with how it ended", async () => {
  const model = scriptedModel([{ reasoning: "Hm.", text: "Hello." }]);
  expect(await complete(model, request, new ManualClock())).toMatchObject({
    ok: true,
    text: "Hello.",
    finishReason: "stop",
    modelId: "scripted/script",
  });
});

test("a failure is its class and is not tried again", async () => {
  const model = scriptedModel([{ error: { status: 429 } }, { text: "late" }]);
  expect(await complete(model, request, new ManualClock())).toEqual({ ok: false, failure: "rate_limited" });
});

test("a model that throws gives no word of what it threw", async () => {
  const model: Model = { ref: "m/m", request: () => Promise.reject(new Error("secret")) };
  expect(await complete(model, request, new ManualClock())).toEqual({ ok: false, failure: "internal" });
});

test("a model that never answers is given up in time, and sees its signal fire", async () => {
  const clock = new ManualClock();
  let seen: ModelRequestOptions | undefined;
  const asked = gate();
  const model: Model = {
    ref: "m/m",
    request: (_context, options) => {
      seen = options;
      asked.open();
      return new Promise(() => undefined);
    },
  };
  const completing = complete(model, { ...request, temperature: 0.3 }, clock);
  await asked.promise;
  clock.advance(1_000);
  expect(await completing).toEqual({ ok: false, failure: "timeout" });
  expect(seen).toMatchObject({ maxOutputTokens: 100, temperature: 0.3, responses: 0, failures: 0 });
  expect(seen?.signal.aborted).toBe(true);
});

test("a signal that has fired ends it before the model is asked", async () => {
  const signal = AbortSignal.abort();
  const model: Model = { ref: "m/m", request: () => Promise.reject(new Error("asked")) };
  expect(await complete(model, { ...request, signal }, new ManualClock())).toEqual({
    ok: false,
    failure: "aborted",
  });
});

test("a provider of an extension is told the bounds", async () => {
  let told: object = {};
  const model = providedModel("p/m", {
    stream: (_model, _context, options) => {
      told = options;
      throw new Error("no matter");
    },
  });
  await complete(model, { ...request, temperature: 0.3 }, new ManualClock());
  expect(told).toMatchObject({ maxOutputTokens: 100, temperature: 0.3 });
});
