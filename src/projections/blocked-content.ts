/** What the model and subscribers are told of a call that did not run. */
import type { ContentBlock, FactData } from "../events/index.ts";

/** The refusal, and what hooks want to be seen beside it. */
export function blockedContent({
  errorType,
  reason,
  context,
}: FactData<"tool_call.blocked">): ContentBlock[] {
  const verb = errorType === "tool_blocked" ? "blocked" : "denied";
  const refusal: ContentBlock = { type: "text", text: `Tool call ${verb}: ${reason}` };
  return context === null ? [refusal] : [refusal, { type: "text", text: context }];
}
