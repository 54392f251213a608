/** How a started call ends, as it is recorded. */
import type { Fact, FactData } from "../../events/index.ts";
import type { Receipt } from "../../harness/index.ts";
import { errorResult, type ToolResult } from "../../tools/index.ts";
import type { Outcome } from "../effect-runner.ts";
import { planRefusal } from "../session/plan.ts";
import { withoutReceipt } from "./receipt-details.ts";

/** A result, and whether it stands for an exception or a crash. */
export interface Executed {
  readonly result: ToolResult;
  readonly isThrown: boolean;
}

/** The end of a call that has a result. @param receipt - `null`: it changed nothing, or the receipt follows */
export function returned(
  callId: string,
  { result, isThrown }: Executed,
  receipt: Receipt | null = null,
): Outcome {
  const { content, details = null, isError = false, trust = "trusted" } = result;
  const errorType = details?.["errorType"];
  return {
    type: "tool_call.returned",
    data: {
      callId,
      isError,
      errorType: isError && typeof errorType === "string" ? errorType : null,
      isThrown,
      content: [...content],
      details: withoutReceipt(details),
      trust,
      receipt,
    },
  };
}

/** The end of a call that was refused: a result that the runtime writes. */
export function refused(callId: string, message: string, errorType: string): Outcome {
  return returned(callId, { result: errorResult(message, { errorType }), isThrown: false });
}

/** Plan mode has a tool of this name, and this session has not: a tool of its own stood in its place. */
export function notInPlan(callId: string, name: string): Outcome {
  const { message, errorType } = planRefusal(name);
  return refused(callId, message, errorType);
}

/** The end of a call that did not come to its own. */
export function interrupted(
  callId: string,
  reason: FactData<"tool_call.interrupted">["reason"],
  receipt: Receipt | null = null,
): Outcome {
  return { type: "tool_call.interrupted", data: { callId, reason, receipt } };
}

/** The receipt of a call that has its end already. */
export function receiptAfterEnd(callId: string, receipt: Receipt): Outcome {
  return { type: "tool_call.receipt_recorded", data: { callId, receipt } };
}

/** Names a call over all sessions. */
export function markerOf(stream: string, { version }: Fact): string {
  return `${stream}:${version}`;
}
