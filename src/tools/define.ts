/**
 * How an author writes a tool: a function that changes nothing and gives the types.
 */
import type { ArgumentsOf } from "./infer.ts";
import type { ToolContext, ToolResult, ToolUpdate } from "./tool.ts";

/** A tool as its author writes it; what is left out gets a default. */
export interface ToolDefinition<Args> {
  /** `^[A-Za-z0-9_-]{1,64}$` */
  readonly name: string;
  /** For people; default: the name. */
  readonly label?: string;
  /** For the model. */
  readonly description: string;
  /** zod 4, a Standard Schema that gives JSON Schema, TypeBox, or plain JSON Schema; default: no arguments. */
  readonly parameters?: unknown;
  /** May overlap with other such calls of the same assistant message. Default `false`. */
  readonly parallelSafe?: boolean;
  /** May be run again when it is not known whether it ran. Default `false`. */
  readonly idempotent?: boolean;
  /** Changes nothing outside: it needs no approval, and the workspace is not scanned around it. Default `false`. */
  readonly readOnly?: boolean;
  /** Milliseconds from the start of the call, 1 to 2,147,483,647, or `Infinity`. Default 300,000. */
  readonly timeoutMs?: number | null;
  // A method, not a property: so a list can hold tools of different arguments.
  execute(
    toolCallId: string,
    args: Args,
    signal: AbortSignal,
    onUpdate: ToolUpdate,
    context: ToolContext,
  ): ToolResult | Promise<ToolResult>;
}

/** A tool of whatever arguments, as it stands in a list. */
export type AnyToolDefinition = ToolDefinition<never>;

/**
 * Types a tool: `args` of `execute` are the JSON that the schema accepts, with no `.transform()` applied and no `.default()` filled in.
 *
 * @example
 * defineTool({
 *   name: "git_log",
 *   description: "Shows the last commits",
 *   parameters: z.object({ limit: z.number() }),
 *   execute: async (toolCallId, args, signal, onUpdate, context) => ({ content: [{ type: "text", text: `${args.limit}` }] }),
 * });
 */
export function defineTool<const Schema = undefined>(
  definition: Omit<ToolDefinition<ArgumentsOf<Schema>>, "parameters"> & { readonly parameters?: Schema },
): ToolDefinition<ArgumentsOf<Schema>> {
  return definition;
}
