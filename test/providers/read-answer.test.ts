/** The rules of a stream, with streams of an extension's provider that no real server would send. */
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Model, ModelProvider } from "../../src/providers/index.ts";
import { assertJson } from "../../src/events/json.ts";
import { resolveModel } from "../../src/providers/index.ts";
import { ask, contextOf, optionsOf, textOf } from "./support.ts";

const usage = {
  inputTokens: { total: 5, noCache: 3, cacheRead: 2, cacheWrite: 0 },
  outputTokens: { total: 4, text: 3, reasoning: 1 },
};
const stop = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };

function modelOf(stream: ModelProvider["stream"]): Model {
  return resolveModel("acme/one", {
    env: {},
    models: { acme: { stream } },
    settings: { acme: { region: "eu" } },
  });
}

function modelSaying(...parts: readonly unknown[]): Model {
  return modelOf(async function* () {
    yield* parts;
  });
}

const text = (delta: string, id = "1"): unknown => ({ type: "text-delta", id, delta });

describe("a provider of an extension", () => {
  test("gets the model id, the context and its settings, and a signal that fires when nobody reads any more", async () => {
    const seen: unknown[] = [];
    let ended: AbortSignal | undefined;
    const model = modelOf((modelId, context, { signal, config }) => {
      seen.push(modelId, context, config, signal.aborted);
      ended = signal;
      return (async function* () {
        yield text("hi");
        yield stop;
      })();
    });
    const { answer } = await ask(model);

    expect(seen).toEqual(["one", contextOf(), { region: "eu" }, false]);
    expect(ended?.aborted).toBe(true);
    expect(answer).toEqual({
      type: "answered",
      content: [{ type: "text", text: "hi" }],
      calls: [],
      finishReason: "stop",
      usage: { inputTokens: 5, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1 },
      modelId: "one",
    });
  });

  test("may promise its stream, and may speak version 2", async () => {
    const model = modelOf(
      async () =>
        new ReadableStream<unknown>({
          start(controller) {
            controller.enqueue(text("hi"));
            controller.enqueue({
              type: "finish",
              finishReason: "length",
              usage: {
                inputTokens: 5,
                outputTokens: 4,
                totalTokens: 9,
                cachedInputTokens: 2,
                reasoningTokens: 1,
              },
            });
            controller.close();
          },
        }),
    );
    const { answer } = await ask(model);

    expect(answer).toMatchObject({
      type: "answered",
      finishReason: "length",
      usage: { inputTokens: 5, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1 },
    });
  });

  test("that throws at once, rejects, breaks, or gives no stream is a failure", async () => {
    const classOf = async (stream: ModelProvider["stream"]): Promise<string> => {
      const { answer } = await ask(modelOf(stream));
      return answer.type === "failed" ? answer.failure.class : answer.type;
    };

    expect(
      await classOf(() => {
        throw new Error("no");
      }),
    ).toBe("unknown");
    expect(await classOf(() => Promise.reject(Object.assign(new Error("no"), { statusCode: 429 })))).toBe(
      "rate_limited",
    );
    expect(
      await classOf(async function* () {
        yield text("hi");
        throw new Error("the worker died");
      }),
    ).toBe("incomplete_stream");
    expect(await classOf(() => [] as unknown as AsyncIterable<unknown>)).toBe("malformed_stream");
  });

  test.each([
    [null],
    ["text"],
    [{}],
    [{ type: 7 }],
    [{ type: "text-delta", id: "1" }],
    [{ type: "text-delta", id: "1", delta: 7 }],
    [{ type: "tool-call", toolCallId: "1", toolName: "x", input: { a: 1 } }],
    [{ type: "finish" }],
    [{ type: "finish", finishReason: null }],
    [{ type: "text-end", id: "1", providerMetadata: { acme: 7 } }],
    [{ type: "text-end", id: "1", providerMetadata: { acme: { big: 1n } } }],
  ])("that sends %o is a failure", async (part) => {
    const { answer } = await ask(modelSaying(text("half"), part, stop));

    expect(answer).toMatchObject({ type: "failed", failure: { retryable: true }, partialText: "half" });
  });

  test("may send parts that are not known here", async () => {
    const { answer } = await ask(
      modelSaying({ type: "hologram" }, { type: "source", id: "1" }, text("hi"), stop),
    );
    expect(textOf(answer)).toBe("hi");
  });

  test("has its metadata kept as plain JSON, whatever its names", async () => {
    const providerMetadata = JSON.parse('{"acme":{"at":1},"__proto__":{"x":2}}') as unknown;
    const { answer } = await ask(
      modelSaying(
        { type: "text-start", id: "1", providerMetadata },
        { type: "text-end", id: "1", providerMetadata: { acme: { when: new Date(0), gone: undefined } } },
        stop,
      ),
    );
    if (answer.type !== "answered") expect.fail(JSON.stringify(answer));
    expect(() => assertJson(answer)).not.toThrow();
    expect(JSON.stringify(answer.content[0]?.providerMetadata)).toBe(
      '{"acme":{"at":1,"when":"1970-01-01T00:00:00.000Z"},"__proto__":{"x":2}}',
    );
  });

  test("whose counts make no sense used nothing", async () => {
    const odd = {
      inputTokens: { total: Number.NaN, cacheRead: -1 },
      outputTokens: { total: 2.9, reasoning: "1" },
    };
    const { answer } = await ask(modelSaying({ ...stop, usage: odd }));
    expect(answer).toMatchObject({
      usage: { inputTokens: 0, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 },
    });
  });
});

describe("the finish", () => {
  test.each(["error", "other", "unknown", "", "constructor"])("%j is not a good one", async (unified) => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "bash", input: '{"command":"rm -rf build' };
    const { answer } = await ask(modelSaying(text("half"), call, { ...stop, finishReason: { unified } }));

    expect(answer).toEqual({
      type: "failed",
      failure: { class: "incomplete_stream", status: null, retryable: true, retryAfterMs: null },
      partialText: "half",
      usage: { inputTokens: 5, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1 },
    });
  });

  test("needs no raw reason", async () => {
    const { answer } = await ask(modelSaying({ ...stop, finishReason: { unified: "stop", raw: undefined } }));
    expect(answer.type).toBe("answered");
  });

  test("ends the answer: nothing is read after it", async () => {
    let readOn = false;
    const model = modelOf(async function* () {
      yield stop;
      readOn = true;
      yield text("more");
    });
    const { answer } = await ask(model);

    expect(textOf(answer)).toBe("");
    expect(readOn).toBe(false);
  });

  test("stop beside calls is tool_calls, and tool_calls without calls is stop", async () => {
    const call = { type: "tool-call", toolCallId: "", toolName: "ls", input: "" };
    const { answer: beside } = await ask(modelSaying(call, stop));
    const { answer: without } = await ask(
      modelSaying({ ...stop, finishReason: { unified: "tool-calls", raw: undefined } }),
    );

    expect(beside).toMatchObject({
      finishReason: "tool_calls",
      calls: [{ providerCallId: null, argumentsText: "" }],
    });
    expect(without).toMatchObject({ finishReason: "stop" });
  });

  test("a call that never became whole has what came of its arguments", async () => {
    const { answer } = await ask(
      modelSaying(
        { type: "tool-input-start", id: "1", toolName: "write" },
        { type: "tool-input-delta", id: "1", delta: '{"path":' },
        { ...stop, finishReason: { unified: "length", raw: undefined } },
      ),
    );
    expect(answer).toMatchObject({
      finishReason: "length",
      calls: [{ name: "write", argumentsText: '{"path":' }],
    });
  });

  test("text after a call without arguments shows that the limit did not cut it off", async () => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "ls", input: "{}" };
    const { answer } = await ask(
      modelSaying(call, text("and"), { ...stop, finishReason: { unified: "length", raw: undefined } }),
    );
    expect(answer).toMatchObject({ calls: [{ name: "ls", argumentsText: "{}" }] });
  });

  test("calls that the provider ran itself are not handed out", async () => {
    const call = {
      type: "tool-call",
      toolCallId: "1",
      toolName: "web_search",
      input: "{}",
      providerExecuted: true,
    };
    const { answer, deltas } = await ask(
      modelSaying(
        { ...call, type: "tool-input-start", id: "1" },
        { type: "tool-input-delta", id: "1", delta: "{}" },
        call,
        stop,
      ),
    );
    expect(answer).toMatchObject({ calls: [], finishReason: "stop" });
    expect(deltas).toEqual([]);
  });
});

describe("texts", () => {
  test("an id that is used again opens a new part, in order", async () => {
    const { answer } = await ask(
      modelSaying(
        { type: "text-start", id: "1" },
        text("a"),
        { type: "reasoning-start", id: "1" },
        { type: "reasoning-delta", id: "1", delta: "b" },
        { type: "text-start", id: "1" },
        text("c"),
        stop,
      ),
    );
    expect(answer).toMatchObject({
      content: [
        { type: "text", text: "a" },
        { type: "reasoning", text: "b" },
        { type: "text", text: "c" },
      ],
    });
  });

  test("a character that comes in two halves is whole, in deltas too", async () => {
    const [high = "", low = ""] = "\ud83c\udf0d".split("");
    const { answer, deltas } = await ask(modelSaying(text(`a${high}`), text(`${low}b`), stop));

    expect(textOf(answer)).toBe("a\ud83c\udf0db");
    expect(deltas).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "\ud83c\udf0db" },
    ]);
  });

  test("half a character becomes U+FFFD", async () => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "x", input: '{"a":"\ud83c"}' };
    const { answer } = await ask(modelSaying(text("a\ud83c"), call, stop));

    expect(answer).toMatchObject({
      content: [{ text: "a\uFFFD" }],
      calls: [{ argumentsText: '{"a":"\uFFFD"}' }],
    });
  });
});

describe("an abort", () => {
  test("before the request asks nobody", async () => {
    let asked = false;
    const model = modelOf(() => {
      asked = true;
      return (async function* () {})();
    });
    const { answer } = await ask(model, { signal: AbortSignal.abort() });

    expect(answer).toEqual({ type: "aborted", partialText: "" });
    expect(asked).toBe(false);
  });

  test("does not wait for a provider that ignores it, and closes a stream that opens late", async () => {
    const controller = new AbortController();
    let deliver: (stream: AsyncIterable<unknown>) => void = () => undefined;
    const model = modelOf(() => new Promise<AsyncIterable<unknown>>((resolve) => (deliver = resolve)));
    const answer = model.request(contextOf(), optionsOf({ signal: controller.signal }));
    controller.abort();
    expect(await answer).toEqual({ type: "aborted", partialText: "" });

    await new Promise<void>((closed) => {
      deliver({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => undefined),
          return: () => {
            closed();
            return Promise.resolve({ done: true as const, value: undefined });
          },
        }),
      });
    });
  });

  test("in mid-stream wins over whatever the provider makes of it, and a stream that hangs is left", async () => {
    const controller = new AbortController();
    const model = modelOf(async function* () {
      yield text("half");
      await new Promise(() => undefined);
    });
    const { answer } = await ask(model, { signal: controller.signal, onDelta: () => controller.abort() });

    expect(answer).toEqual({ type: "aborted", partialText: "half" });
  });

  test("that comes together with an error is an abort, not a failure", async () => {
    const controller = new AbortController();
    const model = modelOf(() => {
      controller.abort();
      throw new Error("why");
    });
    const { answer } = await ask(model, { signal: controller.signal });
    expect(answer).toEqual({ type: "aborted", partialText: "" });
  });

  test("of which the provider makes a good finish is still an abort", async () => {
    const controller = new AbortController();
    const { answer } = await ask(modelSaying(text("half"), stop), {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect(answer).toEqual({ type: "aborted", partialText: "half" });
  });

  test("leaves no listener on the signal, and neither does a long answer", async () => {
    const { signal } = new AbortController();
    const parts = Array.from({ length: 2_000 }, () => text("a"));
    let most = 0;
    const { answer } = await ask(modelSaying(...parts, stop), {
      signal,
      onDelta: () => {
        most = Math.max(most, getEventListeners(signal, "abort").length);
      },
    });

    expect(textOf(answer)).toHaveLength(2_000);
    expect(most).toBeLessThanOrEqual(1);
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });

  test("closes the stream", async () => {
    let returned = false;
    const model = modelOf(async function* () {
      try {
        yield text("a");
        yield text("b");
      } finally {
        returned = true;
      }
    });
    const controller = new AbortController();
    await ask(model, { signal: controller.signal, onDelta: () => controller.abort() });

    expect(returned).toBe(true);
  });
});

test("what a listener throws is its own fault, not the provider's", async () => {
  const broken = new Error("listener");
  const request = ask(modelSaying(text("a"), stop), {
    onDelta: () => {
      throw broken;
    },
  });
  await expect(request).rejects.toBe(broken);
});
