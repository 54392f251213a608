/**
 * How many tokens something is taken to have. Providers count by vocabularies of their own, so this is an estimate: a
 * token for four bytes of text, which is near the truth for English and code and not far from it for other scripts.
 * docs/reference/compaction.md
 */
import type { ModelMessage } from "../../providers/index.ts";

const BYTES_PER_TOKEN = 4;
/** What the largest image costs with Anthropic; OpenAI takes less for most. */
const TOKENS_PER_IMAGE = 1_600;

/** Of a text. */
export function tokensOfText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * Of a message.
 *
 * @param json - the message as JSON, which the caller has at hand
 */
export function tokensOfMessage(message: ModelMessage, json: string): number {
  const images = contentOf(message).flatMap((block) => (block.type === "image" ? [block] : []));
  const encoded = images.reduce((sum, { data }) => sum + data.length, 0);
  return Math.ceil((Buffer.byteLength(json) - encoded) / BYTES_PER_TOKEN) + images.length * TOKENS_PER_IMAGE;
}

function contentOf(message: ModelMessage): readonly ({ type: "image"; data: string } | { type: "other" })[] {
  const blocks =
    message.role === "tool" ? message.results.flatMap(({ content }) => content) : message.content;
  return blocks.map((block) =>
    block.type === "image" ? { type: "image", data: block.data } : { type: "other" },
  );
}
