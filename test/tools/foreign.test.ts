import { asSchema, jsonSchema, tool as aiTool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { silentLogger } from "../../src/ports.ts";
import { defineTool, fromAiSdkTool, fromMcpTool, normaliseTool, toAiSdkTool } from "../../src/tools/index.ts";

const context = { sessionId: "s", cwd: "/", config: {}, log: silentLogger };
const signal = new AbortController().signal;
const ignore = (): void => undefined;

describe("a tool of the AI SDK", () => {
  test("keeps its schema and gets the call's id, arguments and signal", async () => {
    const seen: unknown[] = [];
    const add = aiTool({
      description: "adds",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }, { toolCallId, abortSignal }) => {
        seen.push(toolCallId, abortSignal);
        return { sum: a + b };
      },
    });
    const outcome = await normaliseTool(fromAiSdkTool("add", add, { readOnly: true }));
    if ("problem" in outcome) throw new Error(outcome.problem);
    const { tool } = outcome;
    expect(tool).toMatchObject({ name: "add", description: "adds", readOnly: true });
    expect(tool.parameters).toMatchObject({ required: ["a", "b"] });
    expect(await tool.execute("c1", { a: 1, b: 2 }, signal, ignore, context)).toEqual({
      content: [{ type: "text", text: '{"sum":3}' }],
    });
    expect(seen).toEqual(["c1", signal]);
  });

  test("may have a schema from jsonSchema(), and give text piece by piece", async () => {
    const parameters = { type: "object" as const, properties: { n: { type: "integer" as const } } };
    async function* execute(): AsyncGenerator<string> {
      yield "part";
      yield "whole";
    }
    const outcome = await normaliseTool(
      fromAiSdkTool("steps", aiTool({ inputSchema: jsonSchema<object>(parameters), execute })),
    );
    if ("problem" in outcome) throw new Error(outcome.problem);
    expect(outcome.tool.parameters).toEqual(parameters);
    const { content } = await outcome.tool.execute("c", {}, signal, ignore, context);
    expect(content).toEqual([{ type: "text", text: "whole" }]);
  });

  test("without execute fails when it is called", async () => {
    const remote = fromAiSdkTool("remote", { description: "runs elsewhere" });
    await expect(remote.execute("c", {}, signal, ignore, context)).rejects.toThrow("no execute function");
  });
});

describe("a tool for the AI SDK", () => {
  const greet = defineTool({
    name: "greet",
    description: "greets",
    parameters: z.object({ name: z.string() }),
    execute: (_id, { name }) => ({
      content: [{ type: "text", text: `Hello, ${name}` }],
      isError: name === "",
    }),
  });

  test("has a schema that the AI SDK reads, and gives text", async () => {
    const sdk = await toAiSdkTool(greet, context);
    const schema = await asSchema(sdk.inputSchema as Parameters<typeof asSchema>[0]).jsonSchema;
    expect(schema).toMatchObject({ type: "object", required: ["name"] });
    expect(await sdk.execute({ name: "Ada" }, { toolCallId: "c" })).toBe("Hello, Ada");
  });

  test("throws for an error result and for arguments that do not fit", async () => {
    const sdk = await toAiSdkTool(greet, context);
    await expect(sdk.execute({ name: "" }, { toolCallId: "c" })).rejects.toThrow("Hello, ");
    await expect(sdk.execute({}, { toolCallId: "c" })).rejects.toThrow('missing required argument "name"');
  });

  test("that can't be used is refused by code", async () => {
    await expect(toAiSdkTool({ ...greet, name: "no good" }, context)).rejects.toMatchObject({
      code: "LEMON_INVALID_TOOL",
    });
  });
});

test("a tool of an MCP server is untrusted; blocks that are no text and no image become JSON", async () => {
  const calls: unknown[] = [];
  const client = {
    callTool: (call: unknown, options: unknown) => {
      calls.push(call, options);
      const content = [
        { type: "text", text: "hi" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "resource", uri: "x:y" },
      ];
      return Promise.resolve({ content, isError: true });
    },
  };
  const tool = fromMcpTool({ name: "look", inputSchema: { type: "object" } }, client);
  expect(await tool.execute("c", { at: 1 }, signal, ignore, context)).toEqual({
    content: [
      { type: "text", text: "hi" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: '{"type":"resource","uri":"x:y"}' },
    ],
    details: { mcp: true },
    trust: "untrusted",
    isError: true,
  });
  expect(calls).toEqual([{ name: "look", arguments: { at: 1 } }, { signal }]);
});
