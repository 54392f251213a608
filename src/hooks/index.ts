/** How the answers of hooks combine: pure rules, no I/O, no clock. docs/reference/hooks.md */
export type { HookAnswer } from "./answer.ts";
export {
  cleanContext,
  CONTEXT_CAP,
  CONTEXT_LABEL,
  contextBlock,
  cutAt,
  joinContext,
  withoutControls,
} from "./context-text.ts";
export { isReceiptKey, withReceipts } from "./details.ts";
export { blockOf, judgeCall, REASON_CAP, type CallVerdict } from "./judge-call.ts";
export { reviewResult, type ResultVerdict, type ReviewedResult } from "./review-result.ts";
