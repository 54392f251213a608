/** What a person says, as blocks. */
import type { ContentBlock } from "../events/index.ts";
import { EmptyPromptError, InvalidPromptError } from "./errors.ts";
import type { Prompt } from "./session-types.ts";

/**
 * The blocks of a prompt. A block that is none is refused where it enters the stream, by its schema and with its place.
 *
 * @throws InvalidPromptError for anything but text or a list, and for images that are not base64; EmptyPromptError when
 * nothing is said
 */
export function contentOf(prompt: Prompt): ContentBlock[] {
  if (typeof prompt !== "string" && !isList(prompt)) throw new InvalidPromptError(typeof prompt);
  const content: ContentBlock[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : [...prompt];
  if (content.every(isBlank)) throw new EmptyPromptError();
  const broken = content.findIndex(isBrokenImage);
  if (broken !== -1) throw new InvalidPromptError("other text", `/prompt/${broken}/data`, "base64");
  return content;
}

/** A program without types may hand over anything. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isBlank(block: ContentBlock | null): boolean {
  return block?.type === "text" && typeof block.text === "string" && block.text.trim() === "";
}

/** No model would take it, and the session would carry it for ever. */
function isBrokenImage(block: ContentBlock | null): boolean {
  if (block?.type !== "image" || typeof block.data !== "string") return false;
  return block.data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(block.data);
}
