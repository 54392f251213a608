/**
 * Tools of other kits as tools of this one. Nothing of those kits is imported: their tools are
 * told by their shape. docs/reference/tools.md, "Tools of other kits"
 */
import type { ToolDefinition } from "./define.ts";
import type { ContentBlock } from "./tool.ts";

/** A tool as the AI SDK has it (`tool({ … })` of `ai` 5 and 6), as far as it is used. */
export interface AiSdkTool {
  readonly description?: string | undefined;
  /** zod, a Standard Schema, or what `jsonSchema()` gives. */
  readonly inputSchema?: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** What an MCP server says of a tool. */
export interface McpToolDescription {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of an MCP client that is used. */
export interface McpCaller {
  callTool(
    call: { readonly name: string; readonly arguments: Record<string, unknown> },
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
}

/** What may be said of a tool that comes from elsewhere. */
export type ForeignTraits = Pick<
  ToolDefinition<never>,
  "label" | "parallelSafe" | "idempotent" | "readOnly" | "timeoutMs"
>;

/**
 * A tool of the AI SDK. What it returns becomes text: a text as it is, anything else as JSON.
 *
 * @param name - the AI SDK keeps names beside its tools
 */
export function fromAiSdkTool(
  name: string,
  tool: AiSdkTool,
  traits: ForeignTraits = {},
): ToolDefinition<Record<string, unknown>> {
  return {
    ...traits,
    name,
    description: tool.description ?? "",
    parameters: aiSdkParameters(tool.inputSchema),
    execute: async (toolCallId, args, signal) => {
      if (tool.execute === undefined) throw new Error(`tool ${name} has no execute function`);
      // Its own schema gives its arguments their types; here they are what passed that schema as JSON.
      const execute = tool.execute as (input: unknown, options: unknown) => unknown;
      const returned: unknown = await execute(args, { toolCallId, messages: [], abortSignal: signal });
      const last = isAsyncIterable(returned) ? await lastOf(returned) : returned;
      return { content: [textBlock(last)] };
    },
  };
}

/** A tool of an MCP server whose client the program has. What it returns counts as somebody else's text. */
export function fromMcpTool(
  tool: McpToolDescription,
  client: McpCaller,
  traits: ForeignTraits = {},
): ToolDefinition<Record<string, unknown>> {
  const { name, description = "", inputSchema } = tool;
  return {
    ...traits,
    name,
    description,
    parameters: inputSchema,
    execute: async (_toolCallId, args, signal) => {
      const answer = await client.callTool({ name, arguments: args }, { signal });
      const { content, isError } = (answer ?? {}) as {
        readonly content?: unknown;
        readonly isError?: unknown;
      };
      return {
        content: (Array.isArray(content) ? content : []).map(mcpBlock),
        details: { mcp: true },
        trust: "untrusted",
        isError: isError === true,
      };
    },
  };
}

/** How the AI SDK marks what its `jsonSchema()` gives: in the registry of symbols, so any copy of it knows the mark. */
export const aiSdkMark = Symbol.for("vercel.ai.schema");

function aiSdkParameters(schema: unknown): unknown {
  const isMarked = typeof schema === "object" && schema !== null && aiSdkMark in schema;
  return isMarked ? (schema as { readonly jsonSchema?: unknown }).jsonSchema : schema;
}

function textBlock(value: unknown): ContentBlock {
  return { type: "text", text: typeof value === "string" ? value : (JSON.stringify(value) ?? "") };
}

function mcpBlock(block: unknown): ContentBlock {
  const { type, text, data, mimeType } = (block ?? {}) as Readonly<Record<string, unknown>>;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type, data, mimeType };
  return textBlock(block);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Of a tool that shows its work as it goes, the last value is the result. */
async function lastOf(values: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of values) last = value;
  return last;
}
