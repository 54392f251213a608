import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidScriptError, parseScript, scriptedModel } from "../../src/providers/index.ts";
import type { ModelDelta } from "../../src/providers/index.ts";
import { ask, contextOf, ManualClock, optionsOf, textOf } from "./support.ts";

describe("a scripted model", () => {
  test("says its text in small pieces that are the text when joined", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 200 }), async (text) => {
        const { answer, deltas } = await ask(scriptedModel([{ text }]));
        expect(textOf(answer)).toBe(text);
        expect(deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join("")).toBe(text);
        for (const delta of deltas) {
          if (delta.type !== "tool_call") expect([...delta.text].length).toBeLessThanOrEqual(16);
        }
      }),
    );
  });

  test("asks for calls, with their arguments as text", async () => {
    const { answer, deltas } = await ask(
      scriptedModel([
        {
          reasoning: "Look first.",
          text: "Looking.",
          toolCalls: [
            { name: "bash", args: { command: "ls" } },
            { name: "ls", id: "call_1" },
            { name: "write", rawArguments: '{"path":"no' },
          ],
        },
      ]),
    );

    expect(answer).toMatchObject({
      type: "answered",
      content: [
        { type: "reasoning", text: "Look first." },
        { type: "text", text: "Looking." },
      ],
      calls: [
        { providerCallId: null, name: "bash", argumentsText: '{"command":"ls"}' },
        { providerCallId: "call_1", name: "ls", argumentsText: "" },
        { providerCallId: null, name: "write", argumentsText: '{"path":"no' },
      ],
      finishReason: "tool_calls",
      modelId: "scripted/script",
    });
    expect(deltas.map((delta) => delta.type)).toEqual([
      "reasoning",
      "text",
      "tool_call",
      "tool_call",
      "tool_call",
    ]);
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  });

  test("chooses the turn by the answers and failures that the session has", async () => {
    const model = scriptedModel({ turns: [{ text: "a" }, { text: "b" }, { text: "c" }] });
    const said = async (responses: number, failures: number): Promise<string> =>
      textOf((await ask(model, { responses, failures })).answer);

    expect(await said(1, 1)).toBe("c");
    expect(await said(0, 0)).toBe("a");
    expect(await said(0, 1)).toBe("b");
    expect(await said(0, 1)).toBe("b");
  });

  test("past the last turn is a failure that is not tried again", async () => {
    const { answer } = await ask(scriptedModel([{ text: "only" }]), { responses: 1 });

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "script_exhausted", status: null, retryable: false },
    });
  });

  test("fails as a provider would", async () => {
    const model = scriptedModel([
      { error: { status: 429, retryAfterMs: 500_000 } },
      { error: { status: 400 } },
    ]);

    expect((await ask(model)).answer).toMatchObject({
      type: "failed",
      failure: { class: "rate_limited", status: 429, retryable: true, retryAfterMs: 120_000 },
    });
    expect((await ask(model, { failures: 1 })).answer).toMatchObject({
      type: "failed",
      failure: { class: "bad_request", status: 400, retryable: false, retryAfterMs: null },
    });
  });

  test("breaks its stream after so many characters, and hands out no call", async () => {
    const turn = { text: "ab\ud83c\udf0dcd", cutAfter: 3, toolCalls: [{ name: "bash", args: {} }] };
    const { answer, deltas } = await ask(scriptedModel([turn]));

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "incomplete_stream", retryable: true },
      partialText: "ab\ud83c\udf0d",
    });
    expect(deltas).toEqual([{ type: "text", text: "ab\ud83c\udf0d" }]);
  });

  test("waits by the clock", async () => {
    const clock = new ManualClock();
    const deltas: ModelDelta[] = [];
    const answer = scriptedModel([{ text: "late", delayMs: 5_000 }]).request(
      contextOf(),
      optionsOf({ clock, onDelta: (delta) => void deltas.push(delta) }),
    );
    clock.advance(4_999);
    expect(clock.pendingTimers).toBe(1);
    expect(deltas).toEqual([]);
    clock.advance(1);

    expect(textOf(await answer)).toBe("late");
    expect(clock.pendingTimers).toBe(0);
  });

  test("ends its wait at once when it is aborted", async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const answer = scriptedModel([{ text: "never", delayMs: 5_000 }]).request(
      contextOf(),
      optionsOf({ clock, signal: controller.signal }),
    );
    controller.abort();

    expect(await answer).toEqual({ type: "aborted", partialText: "" });
    expect(clock.pendingTimers).toBe(0);
  });

  test("stops where a listener aborts it", async () => {
    const controller = new AbortController();
    const { answer } = await ask(scriptedModel([{ text: "0123456789abcdef and more" }]), {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });

    expect(answer).toEqual({ type: "aborted", partialText: "0123456789abcdef" });
  });

  test("uses the same tokens every time", async () => {
    const model = scriptedModel([{ text: "12345678", reasoning: "1234" }]);
    const first = (await ask(model)).answer;

    expect(first).toMatchObject({ usage: { outputTokens: 3, reasoningTokens: 1, cachedInputTokens: 0 } });
    expect((await ask(model)).answer).toEqual(first);
  });

  test("loads no schema library and no AI SDK, and neither does the whole room until a real model is asked", () => {
    expect(packagesLoadedBy("models/scripted.ts")).toEqual([]);
    expect(packagesLoadedBy("index.ts").filter((name) => !name.startsWith("node:"))).toEqual([]);
  });
});

describe("a script from a file", () => {
  test("is taken as it is when it is right", () => {
    const script = {
      turns: [
        { text: "a", reasoning: "b", delayMs: 0, cutAfter: 3, finishReason: "length" },
        {
          toolCalls: [
            { name: "bash", args: { command: "ls" } },
            { name: "x", rawArguments: "{", id: "1" },
          ],
        },
        { error: { status: 429, retryAfterMs: 10 } },
        {},
      ],
    };
    expect(parseScript(script, "demo.json")).toBe(script);
  });

  test.each([
    [null, "", "an object", "null"],
    [[], "", "an object", "a list"],
    [{}, "turns", "a list", "nothing"],
    [{ turns: [{}, 7] }, "turns.1", "an object", "number"],
    [{ turns: [{ text: 1 }] }, "turns.0.text", "a string", "number"],
    [{ turns: [{ tekst: "" }] }, "turns.0.tekst", "no such key", "string"],
    [{ turns: [{ __proto__: null, constructor: 1 }] }, "turns.0.constructor", "no such key", "number"],
    [
      { turns: [{}, {}, { toolCalls: [{}] }] },
      "turns.2.toolCalls.0.name",
      "a string that is not empty",
      "nothing",
    ],
    [
      { turns: [{ toolCalls: [{ name: "" }] }] },
      "turns.0.toolCalls.0.name",
      "a string that is not empty",
      "string",
    ],
    [{ turns: [{ toolCalls: {} }] }, "turns.0.toolCalls", "a list", "object"],
    [
      { turns: [{ toolCalls: [{ name: "a", args: 1, rawArguments: "" }] }] },
      "turns.0.toolCalls.0.rawArguments",
      "either args or rawArguments, not both",
      "string",
    ],
    [{ turns: [{ finishReason: "done" }] }, "turns.0.finishReason", "one of stop, length", "string"],
    [{ turns: [{ delayMs: -1 }] }, "turns.0.delayMs", "an integer, 0 or more", "number"],
    [{ turns: [{ cutAfter: 1.5 }] }, "turns.0.cutAfter", "an integer, 0 or more", "number"],
    [{ turns: [{ error: {} }] }, "turns.0.error.status", "an HTTP status from 400 to 599", "nothing"],
    [{ turns: [{ error: { status: 200 } }] }, "turns.0.error.status", "an HTTP status", "number"],
  ])("%j is refused at %j", (script, field, expected, got) => {
    const parse = (): unknown => parseScript(script, "demo.json");

    expect(parse).toThrow(InvalidScriptError);
    expect(parse).toThrow("demo.json: ");
    expect(parse).toThrow(
      expect.objectContaining({
        code: "LEMON_INVALID_SCRIPT",
        field,
        expected: expect.stringContaining(expected) as string,
        got,
      }),
    );
  });
});

/** The packages that a module brings along when it is imported: types and `await import` bring none. */
function packagesLoadedBy(file: string): string[] {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (url: URL): void => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const source = readFileSync(url, "utf8");
    for (const [, from = ""] of source.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from "([^"]+)";/gm)) {
      if (from.startsWith(".")) visit(new URL(from, url));
      else packages.add(from);
    }
  };
  visit(new URL(`../../src/providers/${file}`, import.meta.url));
  // An empty list of packages proves something only if files were read.
  expect(seen.size).toBeGreaterThan(1);
  return [...packages];
}
