/**
 * What the answers of `onToolCall` handlers add up to: whether a call runs, with which arguments, and what is said
 * beside its result. Pure; docs/reference/hooks.md, "Intercepting"
 */
import type { HookAnswer } from "./answer.ts";
import { isPlainObject, memberOf } from "./answer.ts";
import { cutAt, withoutControls } from "./context-text.ts";

/** Code points of a reason, the sign of a cut included. */
export const REASON_CAP = 500;

/** The verdict about one call. */
export interface CallVerdict {
  /** Why it does not run; `null`: it does. */
  readonly blocked: string | null;
  /** What it runs with instead; `null`: as the model wrote it. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** Texts for the context block, in order, as the handlers gave them. */
  readonly context: readonly unknown[];
}

/**
 * Folds answers in registration order. The first block wins and what follows it counts for nothing; of replacements
 * the last one wins; texts of handlers before a block survive it. A handler that failed blocks.
 */
export function judgeCall(answers: readonly HookAnswer[]): CallVerdict {
  let args: CallVerdict["args"] = null;
  const context: unknown[] = [];
  for (const { failure, answer } of answers) {
    if (failure !== null) return { blocked: "an extension hook failed", args: null, context };
    context.push(memberOf(answer, "additionalContext"));
    const reason = blockOf(answer);
    if (reason !== null) return { blocked: reason, args: null, context };
    const replaced = memberOf(answer, "replaceArgs");
    if (isPlainObject(replaced)) args = replaced;
  }
  return { blocked: null, args, context };
}

/** The reason of an answer that blocks; `null` for one that doesn't. Absent, `null` and `false` are no block. */
export function blockOf(answer: unknown): string | null {
  const block = memberOf(answer, "block");
  if (block === undefined || block === null || block === false) return null;
  const reason = typeof block === "string" ? withoutControls(block).trim() : "";
  return reason === "" ? "no reason given" : cutAt(reason, REASON_CAP);
}
