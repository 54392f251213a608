/** The ends of calls that come without their tools: refused, or told to stop. Pure. */
import type { Decision, FactData, ModelCall } from "../../events/index.ts";

type CallEnd = Decision<"tool_call.completed">;

/** The end of a call that was told to stop. */
export function abortedCall(callId: string): CallEnd {
  return ended(callId, "Tool execution aborted", { errorType: "aborted" });
}

/** The end of a call that can't run: there is no such tool, or its arguments are wrong. */
export function refusedCall(callId: string, refusal: NonNullable<ModelCall["refusal"]>): CallEnd {
  const { errorType, message, errors } = refusal;
  return ended(callId, message, errors.length > 0 ? { errorType, errors } : { errorType });
}

function ended(
  callId: string,
  text: string,
  details: { readonly errorType: string } & NonNullable<FactData<"tool_call.completed">["details"]>,
): CallEnd {
  return {
    type: "tool_call.completed",
    data: { callId, isError: true, reason: details.errorType, content: [{ type: "text", text }], details },
  };
}
