/** What the model and subscribers are told of a call that did not run. */
import type { ContentBlock, FactData } from "../events/index.ts";

/** The refusal, and what hooks want to be seen beside it. */
export function blockedContent({
  errorType,
  reason,
  context,
}: FactData<"tool_call.blocked">): ContentBlock[] {
  const refusal: ContentBlock = { type: "text", text: refusalOf(errorType, reason) };
  return context === null ? [refusal] : [refusal, { type: "text", text: context }];
}

function refusalOf(errorType: string, reason: string): string {
  switch (errorType) {
    case "plan_mode":
      return reason;
    case "tool_blocked":
      return `Tool call blocked: ${reason}`;
    default:
      return `Tool call denied: ${reason}`;
  }
}
