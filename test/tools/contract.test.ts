import { defineExtension } from "../../src/extensions/index.ts";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  aborted,
  builtInTools,
  checkArguments,
  checkResult,
  createRegistry,
  defineTool,
  normaliseTool,
  taskTimeout,
  toolException,
  unknownTool,
} from "../../src/tools/index.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { validatorOf } from "../../src/tools/validator.ts";
import { namedTool } from "./registry-tools.ts";

const execute = (): { content: [] } => ({ content: [] });

async function normalised(definition: unknown): Promise<{ tool: Tool; warnings: readonly string[] }> {
  const outcome = await normaliseTool(definition);
  if ("problem" in outcome) throw new Error(outcome.problem);
  return outcome;
}

async function problemOf(definition: unknown): Promise<string> {
  const outcome = await normaliseTool(definition);
  return "problem" in outcome ? outcome.problem : "none";
}

describe("a tool definition", () => {
  it("gets its defaults", async () => {
    const { tool, warnings } = await normalised({ name: "t", description: "d", execute });
    expect(tool).toMatchObject({
      name: "t",
      label: "t",
      timeoutMs: 300_000,
      parallelSafe: false,
      idempotent: false,
      readOnly: false,
    });
    expect(tool.parameters).toEqual({ type: "object", properties: {} });
    expect(warnings).toEqual([]);
  });

  it("types its arguments", () => {
    defineTool({
      name: "zod",
      description: "",
      parameters: z.object({ n: z.string().transform(Number), d: z.number().default(1) }),
      execute: (_id, args, signal, onUpdate, context) => {
        expectTypeOf(args).toEqualTypeOf<{ n: string; d?: number | undefined }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(context.cwd).toEqualTypeOf<string>();
        onUpdate({ content: [{ type: "text", text: args.n }] });
        return { content: [] };
      },
    });
    defineTool({
      name: "plain",
      description: "",
      parameters: {
        type: "object",
        properties: { mode: { enum: ["fit", "raw"] }, list: { type: "array", items: { type: "integer" } } },
        required: ["mode"],
      },
      execute: (_id, args) => {
        expectTypeOf(args.mode).toEqualTypeOf<"fit" | "raw">();
        expectTypeOf(args.list).toEqualTypeOf<number[] | undefined>();
        return { content: [] };
      },
    });
    const tools = [
      defineTool({ name: "none", description: "", execute }),
      defineTool({ name: "s", description: "", parameters: z.object({ a: z.string() }), execute }),
    ];
    defineExtension({ name: "x", version: "1.0.0", tools });
  });

  it("may have parameters of zod, whose input counts", async () => {
    const parameters = z.object({
      n: z.string().transform(Number),
      d: z.number().default(1),
      size: z.tuple([z.int(), z.int()]).optional(),
    });
    const { tool } = await normalised({ name: "t", description: "", parameters, execute });
    expect(tool.parameters["required"]).toEqual(["n"]);
    expect(await checkArguments(tool, { n: "5" })).toEqual({ ok: true, args: { n: "5" } });
    expect(await checkArguments(tool, { n: "5", size: [1, "x"] })).toMatchObject({
      ok: false,
      errors: ["size.1: must be integer"],
    });
  });

  it("may have parameters with symbols, as TypeBox has", async () => {
    const parameters = {
      type: "object",
      properties: { a: { type: "string", [Symbol("kind")]: "String" } },
      required: ["a"],
      [Symbol("kind")]: "Object",
    };
    const { tool } = await normalised({ name: "t", description: "", parameters, execute });
    expect(tool.parameters).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
    });
  });

  it("keeps definitions that its parameters point to", async () => {
    const parameters = { properties: { mode: { $ref: "#/$defs/Mode" } }, $defs: { Mode: { enum: ["fit"] } } };
    const { tool } = await normalised({ name: "t", description: "", parameters, execute });
    expect(tool.parameters).toEqual({ type: "object", ...parameters });
  });

  it.each([
    [null, "must be an object"],
    [{ name: "a b", description: "", execute }, "must match"],
    [{ name: "a".repeat(65), description: "", execute }, "must match"],
    [{ description: "", execute }, "must match"],
    [{ name: "t", description: "" }, "no execute function"],
    [{ name: "t", description: 1, execute }, "description must be a string"],
    [{ name: "t", description: "", parameters: "x", execute }, "must be a schema"],
    [{ name: "t", description: "", parameters: { type: "string" }, execute }, "must describe an object"],
    [
      {
        name: "t",
        description: "",
        parameters: { type: "object", properties: { a: { type: "nope" } } },
        execute,
      },
      "don't compile",
    ],
    [
      {
        name: "t",
        description: "",
        parameters: { type: "object", properties: { a: { $ref: "#/$defs/no" } } },
        execute,
      },
      "don't compile",
    ],
    [
      { name: "t", description: "", parameters: { "~standard": { version: 1, vendor: "valibot" } }, execute },
      "toStandardJsonSchema",
    ],
    [
      {
        name: "t",
        description: "",
        parameters: z3.object({ deep: z3.object({ when: z3.date() }) }),
        execute,
      },
      "parameters at deep.when can't be written as JSON Schema: ZodDate holds no JSON",
    ],
    [
      { name: "t", description: "", parameters: z.object({ deep: z.object({ when: z.date() }) }), execute },
      "at deep.when",
    ],
    [
      {
        get name() {
          throw new Error("boom");
        },
      },
      "could not be read: boom",
    ],
  ])("%# is refused", async (definition, message) => {
    expect(await problemOf(definition)).toContain(message);
  });

  it.each([0, -1, 1.5, NaN, "5", 2_147_483_648])(
    "with the time limit %s gets the default and a warning",
    async (timeoutMs) => {
      const { tool, warnings } = await normalised({ name: "t", description: "", execute, timeoutMs });
      expect([tool.timeoutMs, warnings.length]).toEqual([300_000, 1]);
    },
  );

  it.each([
    [1, 1],
    [Infinity, Infinity],
    [null, 300_000],
  ])("may have the time limit %s", async (timeoutMs, wanted) => {
    const { tool, warnings } = await normalised({ name: "t", description: "", execute, timeoutMs });
    expect([tool.timeoutMs, warnings.length]).toEqual([wanted, 0]);
  });

  it("of a class keeps its this", async () => {
    class Counter {
      name = "count";
      description = "";
      #count = 0;
      execute(): unknown {
        this.#count += 1;
        return { content: [{ type: "text", text: String(this.#count) }] };
      }
    }
    const { tool } = await normalised(new Counter());
    const context = {
      sessionId: "s",
      cwd: "/",
      config: {},
      log: { debug() {}, info() {}, warn() {}, error() {} },
    };
    const result = await tool.execute("c", {}, new AbortController().signal, () => undefined, context);
    expect(result.content).toEqual([{ type: "text", text: "1" }]);
  });
});

describe("a result", () => {
  const text = (value: string): unknown => ({ type: "text", text: value });

  it("is copied, mended and stripped", () => {
    const returned = {
      content: [{ ...(text("a\u{d800}b") as object), extra: 1 }],
      details: { a: undefined, b: -0 },
      isError: false,
      trust: "very",
    };
    expect(checkResult(returned)).toEqual({
      ok: true,
      result: { content: [text("a\u{FFFD}b")], details: { b: 0 } },
    });
    expect(checkResult({ content: [], trust: "untrusted", isError: true })).toEqual({
      ok: true,
      result: { content: [], trust: "untrusted", isError: true },
    });
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  it.each([
    [undefined, "result: undefined is not a JSON value"],
    ["text", "must be an object with `content`"],
    [{}, "content: must be an array"],
    [{ content: [1] }, "content.0: must be a block"],
    [{ content: [text("a"), { type: "video" }] }, 'content.1.type: must be "text" or "image"'],
    [{ content: [{ type: "text" }] }, "content.0.text: must be a string"],
    [{ content: [{ type: "image", data: "%%%", mimeType: "image/png" }] }, "content.0.data: must be base64"],
    [{ content: [], details: [1] }, "details: must be an object"],
    [{ content: [], isError: "no" }, "isError: must be a boolean"],
    [{ content: [], details: { a: { b: new Map() } } }, "details.a.b: a Map is not a JSON value"],
    [{ content: [], details: { a: new Date(0) } }, "details.a: a Date is not"],
    [{ content: [], details: { a: 1n } }, "details.a: a BigInt is not"],
    [{ content: [], details: { a: [NaN] } }, "details.a.0: NaN is not"],
    [{ content: [], details: { a: () => 1 } }, "details.a: a function is not"],
    [{ content: [], details: { a: cycle } }, "details.a.self: a cycle is not"],
    [{ content: [], details: { a: [undefined] } }, "details.a.0: undefined is not"],
    [
      {
        content: [],
        details: {
          get a() {
            throw new Error("boom");
          },
        },
      },
      "could not be read: boom",
    ],
    [{ content: [text("x".repeat(9_000_000))] }, "the value is larger than 8388608 characters"],
  ])("%# is refused with the name of the field", (value, message) => {
    const outcome = checkResult(value);
    expect(outcome.ok).toBe(false);
    if (!outcome.ok) expect(outcome.message).toContain(message);
  });

  it("does not let __proto__ through", () => {
    const outcome = checkResult({
      content: [],
      details: JSON.parse('{"__proto__":{"x":1},"y":2}') as object,
    });
    expect(outcome).toEqual({ ok: true, result: { content: [], details: { y: 2 } } });
  });

  it("of the runtime's own names what went wrong", () => {
    expect(unknownTool("reed")).toEqual({
      content: [text("Tool reed not found")],
      isError: true,
      details: { errorType: "unknown_tool", toolName: "reed" },
    });
    expect(taskTimeout(5).details).toEqual({ errorType: "tool_task_timeout", timeoutMs: 5 });
    expect(aborted()).toEqual({
      content: [text("Tool execution aborted")],
      isError: true,
      details: { errorType: "aborted" },
    });
    expect(toolException(new TypeError("bad"))).toMatchObject({
      content: [text("bad")],
      details: { errorType: "tool_exception", exception: "TypeError" },
    });
    expect(JSON.stringify(toolException(new Error("bad")))).not.toContain("contract.test");
  });
});

describe("the registry", () => {
  const tool = namedTool;

  it("lists built-in tools as declared, then others by name and module", () => {
    const extensions = [
      { module: "b", tool: tool("Zeta") },
      { module: "b", tool: tool("alpha") },
      { module: "a", tool: tool("alpha") },
      { module: "a", tool: tool("read") },
    ];
    const registry = createRegistry(builtInTools, extensions);
    expect(registry.tools.map((entry) => entry.tool.name)).toEqual([
      "read",
      "write",
      "edit",
      "patch",
      "bash",
      "grep",
      "find",
      "ls",
      "todo",
      "checkpoint",
      "task",
      "extensions_status",
      "Zeta",
      "alpha",
    ]);
    expect(registry.find("alpha")?.entry.source).toEqual({ kind: "extension", id: "a" });
    expect(registry.shadowed).toEqual([
      { name: "alpha", winner: "extension a", loser: "extension b" },
      { name: "read", winner: "built-in", loser: "extension a" },
    ]);
    expect(
      createRegistry(builtInTools, extensions.toReversed()).tools.map((entry) => entry.tool.name),
    ).toEqual(registry.tools.map((entry) => entry.tool.name));
  });

  it("finds a name whose white space went wrong", () => {
    const registry = createRegistry(builtInTools, []);
    expect(registry.find("read")).toMatchObject({ exact: true });
    expect(registry.find(" read\n")).toMatchObject({ exact: false, entry: { tool: { name: "read" } } });
    expect(registry.find("Read")).toBeUndefined();
    expect(registry.find("reed")).toBeUndefined();
  });
});

describe("the built-in tools", () => {
  it("have flags that agree, and schemas that compile", async () => {
    for (const tool of builtInTools) {
      const { name, readOnly, parallelSafe, idempotent, parameters, otherSpellings } = tool;
      const isReader = ["read", "grep", "find", "ls"].includes(name);
      // Changes nothing outside, and is no question to a person: but its changes follow on each other.
      const isQuiet = isReader || name === "todo" || name === "task";
      const mayOverlap = isReader || name === "task";
      expect([name, readOnly, parallelSafe, idempotent]).toEqual([name, isQuiet, mayOverlap, isReader]);
      const properties = Object.keys(parameters["properties"] as object);
      for (const own of Object.values(otherSpellings ?? {})) expect(properties).toContain(own);
      for (const foreign of Object.keys(otherSpellings ?? {})) expect(properties).not.toContain(foreign);
      const { ok } = await checkArguments(
        tool,
        Object.fromEntries(
          properties.map((key) => [
            key,
            key.endsWith("limit") || key === "offset" || key === "timeoutMs" ? 5 : "true",
          ]),
        ),
      );
      expect(ok).toBe(true);
      await validatorOf({ parameters });
    }
  });
});
