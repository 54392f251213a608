/** Says a session's context in the words of the AI SDK's language-model specification. */
import type {
  LanguageModelV3FilePart,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  LanguageModelV3ToolResultOutput,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { ContentBlock } from "../../events/index.ts";
import type { AssistantPart, ModelContext, ModelMessage, ProviderMetadata, ToolResultPart } from "./port.ts";

type ImageBlock = Extract<ContentBlock, { type: "image" }>;

/** What differs between providers. */
export interface PromptOptions {
  /** Whether tool results may hold images; otherwise these follow in a message of the user's. */
  readonly imagesInResults: boolean;
  /** Marks where the unchanging beginning of the prompt ends, for providers that cache on request. */
  readonly cacheMark?: ProviderMetadata;
}

/** The tools as the specification has them, or nothing when there are none: some servers refuse an empty list. */
export function toolsOf(context: ModelContext): LanguageModelV3FunctionTool[] | undefined {
  if (context.tools.length === 0) return undefined;
  return context.tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    // JSON Schema either way; the SDK's own type for it comes from a package that need not be installed.
    inputSchema: parameters as never,
  }));
}

/**
 * The messages as the specification has them.
 *
 * Texts and messages that are empty are left out: providers refuse them, and a valid answer may be empty.
 */
export function promptOf(context: ModelContext, options: PromptOptions): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  if (context.systemPrompt !== "") prompt.push({ role: "system", content: context.systemPrompt });
  for (const message of context.messages) prompt.push(...messagesOf(message, options));

  if (options.cacheMark !== undefined) {
    const mark = providerOptionsOf(options.cacheMark);
    const [first, last] = [prompt[0], prompt.at(-1)];
    if (first?.role === "system") Object.assign(first, mark);
    if (last !== undefined && last !== first) Object.assign(last, mark);
  }
  return prompt;
}

function messagesOf(message: ModelMessage, options: PromptOptions): LanguageModelV3Message[] {
  switch (message.role) {
    case "user": {
      const content = message.content.flatMap(userPartOf);
      return content.length === 0 ? [] : [{ role: "user", content }];
    }
    case "assistant": {
      const content = message.content.flatMap(assistantPartOf);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return toolMessagesOf(message.results, options);
  }
}

function toolMessagesOf(
  results: readonly ToolResultPart[],
  options: PromptOptions,
): LanguageModelV3Message[] {
  if (results.length === 0) return [];
  const messages: LanguageModelV3Message[] = [
    {
      role: "tool",
      content: results.map((result) => ({
        type: "tool-result",
        toolCallId: result.callId,
        toolName: result.name,
        output: outputOf(result, options),
      })),
    },
  ];
  const withImages = options.imagesInResults ? [] : results.filter(({ content }) => content.some(isImage));
  if (withImages.length > 0) {
    const content = withImages.flatMap(({ callId, name, content: blocks }) => [
      { type: "text" as const, text: `Images from ${name} (${callId}):` },
      ...blocks.filter(isImage).map(filePartOf),
    ]);
    messages.push({ role: "user", content });
  }
  return messages;
}

function outputOf(
  { content, isError }: ToolResultPart,
  options: PromptOptions,
): LanguageModelV3ToolResultOutput {
  if (options.imagesInResults && content.some(isImage)) {
    return {
      type: "content",
      value: content.map((block) =>
        block.type === "text"
          ? { type: "text", text: block.text }
          : { type: "image-data", data: block.data, mediaType: block.mimeType },
      ),
    };
  }
  const texts = content.map((block) =>
    block.type === "text" ? block.text : "[image: see the next message]",
  );
  return { type: isError ? "error-text" : "text", value: texts.join("\n") };
}

function userPartOf(block: ContentBlock): (LanguageModelV3TextPart | LanguageModelV3FilePart)[] {
  if (block.type === "image") return [filePartOf(block)];
  return block.text === "" ? [] : [{ type: "text", text: block.text }];
}

function filePartOf(image: ImageBlock): LanguageModelV3FilePart {
  return { type: "file", data: image.data, mediaType: image.mimeType };
}

function assistantPartOf(
  part: AssistantPart,
): Extract<LanguageModelV3Message, { role: "assistant" }>["content"] {
  const providerOptions = providerOptionsOf(part.providerMetadata);
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text, ...providerOptions }];
    case "reasoning":
      // Thinking without the provider's signature can't be sent back.
      if (part.providerMetadata === undefined) return [];
      return [{ type: "reasoning", text: part.text, ...providerOptions }];
    case "tool_call":
      // Providers want an object: of arguments that were none, the error result tells what there is to tell.
      return [
        {
          type: "tool-call",
          toolCallId: part.callId,
          toolName: part.name,
          input: part.args ?? {},
          ...providerOptions,
        },
      ];
  }
}

function providerOptionsOf(metadata: ProviderMetadata | undefined): {
  providerOptions?: SharedV3ProviderOptions;
} {
  // Plain JSON by the port's promise, which the specification's type spells out member by member.
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV3ProviderOptions };
}

function isImage(block: ContentBlock): block is ImageBlock {
  return block.type === "image";
}
