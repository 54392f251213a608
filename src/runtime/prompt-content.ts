/** What a person says, as blocks. */
import type { ContentBlock } from "../events/index.ts";
import { EmptyPromptError, InvalidPromptError } from "./errors.ts";
import type { Prompt } from "./session-types.ts";

/**
 * The blocks of a prompt. A block that is none is refused where it enters the stream, by its schema and with its place.
 *
 * @throws InvalidPromptError for anything but text or a list; EmptyPromptError when nothing is said
 */
export function contentOf(prompt: Prompt): ContentBlock[] {
  if (typeof prompt !== "string" && !isList(prompt)) throw new InvalidPromptError(typeof prompt);
  const content: ContentBlock[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : [...prompt];
  if (content.every(isBlank)) throw new EmptyPromptError();
  return content;
}

/** A program without types may hand over anything. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isBlank(block: ContentBlock | null): boolean {
  return block?.type === "text" && typeof block.text === "string" && block.text.trim() === "";
}
