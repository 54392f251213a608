/** What the answers of `onToolResult` handlers make of a result. Pure; docs/reference/hooks.md, "Intercepting" */
import type { ContentBlock } from "../events/index.ts";
import { memberOf, type HookAnswer } from "./answer.ts";
import { contextBlock } from "./context-text.ts";
import { withReceipts } from "./details.ts";

/** A result as a tool returned it. */
export interface ReviewedResult {
  readonly content: readonly ContentBlock[];
  readonly details: Readonly<Record<string, unknown>> | null;
  /** It is the message of an exception, a crash or a refusal: it stays as it is and carries no context. */
  readonly isThrown: boolean;
}

/** What is shown in its place; `null` for a part that stays as it was. */
export interface ResultVerdict {
  readonly content: readonly ContentBlock[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/**
 * Folds answers in registration order: for each of content and details the last value that is there wins. A handler
 * that failed changes nothing. Status and trust can't be changed, and receipts stay.
 *
 * @param callContext - texts that the handlers of `onToolCall` gave, in order
 */
export function reviewResult(
  result: ReviewedResult,
  callContext: readonly unknown[],
  answers: readonly HookAnswer[],
): ResultVerdict {
  if (result.isThrown) return { content: null, details: null };
  let content: readonly ContentBlock[] | null = null;
  let details: ResultVerdict["details"] = null;
  const context = [...callContext];
  for (const { failure, answer } of answers) {
    if (failure !== null) continue;
    context.push(memberOf(answer, "additionalContext"));
    const replace = memberOf(answer, "replace");
    content = blocksOf(memberOf(replace, "content")) ?? content;
    const given = memberOf(replace, "details");
    if (given !== undefined && given !== null) details = withReceipts(result.details, given);
  }
  const block = contextBlock(context);
  if (block !== null) content = [...(content ?? result.content), { type: "text", text: block }];
  return { content, details };
}

/** The content that an answer gives, if all of it is text and images. */
function blocksOf(value: unknown): ContentBlock[] | null {
  if (!Array.isArray(value)) return null;
  const blocks = value.map(blockOf);
  return blocks.includes(null) ? null : blocks.filter((block) => block !== null);
}

function blockOf(value: unknown): ContentBlock | null {
  const [type, text] = [memberOf(value, "type"), memberOf(value, "text")];
  if (type === "text") return typeof text === "string" ? { type, text } : null;
  const [data, mimeType] = [memberOf(value, "data"), memberOf(value, "mimeType")];
  return type === "image" && typeof data === "string" && typeof mimeType === "string"
    ? { type, data, mimeType }
    : null;
}
