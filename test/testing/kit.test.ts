import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { defineExtension } from "../../src/extensions/index.ts";
import { testExtension } from "../../src/testing/index.ts";
import { defineTool } from "../../src/tools/index.ts";

const echo = defineExtension({
  name: "echo",
  version: "1.0.0",
  configSchema: { type: "object", properties: { suffix: { type: "string", default: "." } } },
  tools: (_cwd, { config }) => [
    defineTool({
      name: "echo",
      description: "says it again",
      readOnly: true,
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
      execute: (_id, { text }, _signal, onUpdate, { cwd }) => {
        onUpdate({ content: [{ type: "text", text: "soon" }] });
        if (text === "throw") throw new RangeError("too far");
        return { content: [{ type: "text", text: text + String(config["suffix"]) }], details: { cwd } };
      },
    }),
  ],
  hooks: {
    onToolCall: [
      ({ args }) => (args["text"] === "bad" ? { block: "not that word" } : undefined),
      () => ({ additionalContext: "heard" }),
    ],
    onToolResult: () => undefined,
    onSessionStart: ({ sessionScope }) => ({ additionalContext: sessionScope }),
    onTurnEnd: () => {
      throw new TypeError("never mind");
    },
  },
});

describe("a call", () => {
  test("goes through arguments, hooks and the tool, and leaves its facts", async () => {
    await using kit = await testExtension(echo);
    const called = await kit.callTool("echo", { text: "hi" });
    expect(called).toEqual({
      content: [
        { type: "text", text: "hi." },
        { type: "text", text: "[hook context]\nheard" },
      ],
      details: { cwd: kit.cwd },
      isError: false,
      updates: [[{ type: "text", text: "soon" }]],
    });
    expect((await kit.facts()).map(({ type }) => type)).toContain("hook.answered");
    expect(await kit.callTool("echo", {})).toMatchObject({
      isError: true,
      details: { errorType: "invalid_tool_arguments" },
    });
    expect(await kit.callTool("echo", { text: "bad" })).toMatchObject({
      isError: true,
      details: { errorType: "tool_blocked", reason: "not that word" },
    });
    expect(await kit.callTool("echo", { text: "throw" })).toMatchObject({
      content: [{ type: "text", text: "too far" }],
      details: { errorType: "tool_exception", exception: "RangeError" },
    });
    expect(await kit.callTool("gone")).toMatchObject({ details: { errorType: "unknown_tool" } });
  });

  test("waits for the one before", async () => {
    await using kit = await testExtension(echo);
    const results = await Promise.all(["a", "b", "c"].map((text) => kit.callTool("echo", { text })));
    expect(results.map(({ content: [block] }) => block)).toEqual(
      ["a.", "b.", "c."].map((text) => ({ type: "text", text })),
    );
  });

  test("whose signal has fired is not made, and the next one is made all the same", async () => {
    await using kit = await testExtension(echo);
    const called = kit.callTool("echo", { text: "x" }, { signal: AbortSignal.abort() });
    await expect(called).rejects.toMatchObject({ code: "LEMON_ABORTED" });
    expect((await kit.callTool("echo", { text: "y" })).isError).toBe(false);
  });
});

describe("a prompt", () => {
  test("takes the kit's turns one after another, or turns of its own", async () => {
    await using kit = await testExtension(echo, { turns: [{ text: "one" }, { text: "two" }] });
    expect((await kit.prompt("a")).text).toBe("one");
    expect((await kit.prompt("b", [{ text: "own" }])).text).toBe("own");
    await kit.callTool("echo", { text: "between" });
    expect((await kit.prompt("c")).text).toBe("two");
    expect(await kit.prompt("d")).toMatchObject({ status: "failed", error: { class: "script_exhausted" } });
  });

  test("runs observers, and a failure of one stands in the facts and the log", async () => {
    await using kit = await testExtension(echo);
    await kit.prompt("a", [{ text: "b" }]);
    const failed = (await kit.facts()).find(({ type }) => type === "hook.failed");
    expect(failed?.data).toMatchObject({ hook: "onTurnEnd", class: "TypeError" });
    expect(kit.logLines()).toContain("warn: a hook failed");
  });
});

describe("a hook", () => {
  test("gets defaults for what its event leaves out, and gives its answers in order", async () => {
    await using kit = await testExtension(echo);
    expect(await kit.runHook("onSessionStart")).toEqual([{ additionalContext: "main" }]);
    expect(await kit.runHook("onToolCall", { toolName: "x" })).toEqual([
      null,
      { additionalContext: "heard" },
    ]);
    expect(await kit.runHook("onToolCall", { args: { text: "bad" } })).toEqual([{ block: "not that word" }]);
    expect(await kit.runHook("onToolResult")).toEqual([null]);
    expect(await kit.runHook("onAgentStart")).toEqual([]);
  });

  test("that throws rejects with what it threw", async () => {
    await using kit = await testExtension(echo);
    await expect(kit.runHook("onTurnEnd", { role: "assistant" }, [])).rejects.toMatchObject({
      code: "LEMON_HANDLER_FAILED",
      kind: "throw",
      failureClass: "TypeError",
      message: "onTurnEnd: TypeError: never mind",
    });
  });
});

describe("the kit", () => {
  test("checks settings by the extension's schema", async () => {
    await using kit = await testExtension(echo, { config: { suffix: "!" } });
    expect((await kit.callTool("echo", { text: "hi" })).content[0]).toEqual({ type: "text", text: "hi!" });
    await expect(testExtension(echo, { config: { suffix: 1 } })).rejects.toMatchObject({
      code: "LEMON_UNUSABLE_EXTENSION",
      problems: ["echo: setting suffix must be string"],
    });
  });

  test("refuses what can't be used, and says why", async () => {
    await expect(testExtension({ name: "x" })).rejects.toMatchObject({
      problems: ["x: missing required field: version"],
    });
    await expect(testExtension("no/such/file.ts")).rejects.toMatchObject({
      code: "LEMON_UNUSABLE_EXTENSION",
      problems: [`${path.resolve("no/such/file.ts")}: there is no such file`],
    });
  });

  test("works in a fresh folder, which goes with it, or in one that it is given", async () => {
    const kit = await testExtension(echo);
    expect(existsSync(kit.cwd)).toBe(true);
    await kit.close();
    expect(existsSync(path.dirname(kit.cwd))).toBe(false);
    await using other = await testExtension(echo, { cwd: import.meta.dirname });
    expect(other.cwd).toBe(import.meta.dirname);
  });
});
