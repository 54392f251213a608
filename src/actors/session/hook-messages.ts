/** Messages as hooks see them. Pure. docs/reference/hooks.md, "Messages" */
import type { Json } from "../../events/index.ts";
import type { TranscriptMessage } from "../../projections/index.ts";

/** A message of the transcript; the results of one batch are a message each, in call order. */
export function hookMessages(message: TranscriptMessage): Json[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content as Json }];
    case "custom": {
      const { customType, display, content } = message;
      return [{ role: "custom", customType, display, content: content as Json }];
    }
    // It tells again what hooks have been told.
    case "summary":
      return [];
    case "assistant": {
      const toolCalls = message.calls.map(({ callId: id, name, args }) => ({ id, name, args: args as Json }));
      const content = message.content.map(({ type, text }) => ({ type, text }));
      return [{ role: "assistant", content, toolCalls }];
    }
    case "tool":
      return message.results.map(({ callId: toolCallId, name: toolName, content, isError }) => ({
        role: "tool",
        toolCallId,
        toolName,
        content: content as Json,
        isError,
      }));
  }
}
