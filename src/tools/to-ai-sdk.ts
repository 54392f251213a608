/** Tools of this kit as tools of the AI SDK. docs/reference/tools.md, "Tools of other kits" */
import { LemonError } from "../errors.ts";
import { checkArguments } from "./arguments.ts";
import type { AnyToolDefinition } from "./define.ts";
import { aiSdkMark } from "./foreign.ts";
import { normaliseTool } from "./normalise.ts";
import type { JsonSchema, ToolContext } from "./tool.ts";

/** A tool for the AI SDK, to be put under its name into `tools`. */
export interface ToolForAiSdk {
  readonly description: string;
  readonly inputSchema: unknown;
  readonly execute: (
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal },
  ) => Promise<string>;
}

/**
 * A tool of this kit for the AI SDK. Its result is the text of the blocks; an error result is thrown.
 *
 * @param context - what the tool is told of where it runs
 * @throws LemonError `LEMON_INVALID_TOOL` when the definition can't be used
 */
export async function toAiSdkTool(
  definition: AnyToolDefinition,
  context: ToolContext,
): Promise<ToolForAiSdk> {
  const normalised = await normaliseTool(definition);
  if ("problem" in normalised)
    throw new LemonError("invalid_tool", normalised.problem, { field: "definition" });
  const { tool } = normalised;
  return {
    description: tool.description,
    inputSchema: aiSdkSchema(tool.parameters),
    execute: async (input, { toolCallId, abortSignal }) => {
      const signal = abortSignal ?? new AbortController().signal;
      const onUpdate = (): void => undefined;
      const checked = await checkArguments(tool, input as Readonly<Record<string, unknown>>);
      if (!checked.ok) throw new Error(checked.message);
      const { content, isError } = await tool.execute(toolCallId, checked.args, signal, onUpdate, context);
      const text = content.map((block) =>
        block.type === "text" ? block.text : `(image, ${block.mimeType})`,
      );
      if (isError === true) throw new Error(text.join("\n"));
      return text.join("\n");
    },
  };
}

function aiSdkSchema(jsonSchema: JsonSchema): unknown {
  const validate = (value: unknown): { success: true; value: unknown } => ({ success: true, value });
  return { [aiSdkMark]: true, _type: undefined, validate, jsonSchema };
}
