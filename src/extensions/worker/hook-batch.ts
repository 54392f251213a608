/** The handlers of one event, one after the other, in their worker. */
import * as built from "./captured.ts";
import type { HandlerPart, HookBatchHead } from "./frames.ts";
import { walk } from "./json-walk.ts";
import type { LiveCall, LiveCalls, Post } from "./live-calls.ts";
import { slotAt } from "./shared-memory.ts";
import { thrownFields } from "./thrown.ts";

/** The handlers of a hook, and what `this` is for them. */
export interface HandlerList {
  readonly owner: unknown;
  readonly handlers: readonly unknown[];
}

type Outcome = Pick<HandlerPart, "answer" | "failure">;

/**
 * Each handler has a fresh copy of the arguments. The number of the one that runs stands in shared memory, and what it
 * answers is sent as soon as it is there: a later one that ends the worker takes nothing of it away.
 *
 * @returns how long each took, in milliseconds
 */
export async function runHandlers(
  { calls, post, shared }: { readonly calls: LiveCalls; readonly post: Post; readonly shared: Int32Array },
  call: LiveCall,
  { owner, handlers }: HandlerList,
  head: HookBatchHead,
  payload: string,
): Promise<readonly number[]> {
  const durations: number[] = built.bare([]);
  for (let index = 0; index < head.count; index += 1) {
    built.atomicStore(shared, slotAt(head.slot), index + 1);
    const startedMs = built.nowMs();
    call.endsAtMs = startedMs + head.leftMs;
    const outcome = await runHandler(calls, call, owner, handlers[index], payload);
    const ms = built.nowMs() - startedMs;
    durations[index] = ms;
    const isEmpty = outcome.failure === undefined && outcome.answer === null;
    if (!isEmpty) post(call.id, "part", built.bare({ i: index, ms, ...outcome }));
    if (head.untilBlocked && (outcome.failure !== undefined || isBlock(outcome.answer))) break;
  }
  return durations;
}

async function runHandler(
  calls: LiveCalls,
  call: LiveCall,
  owner: unknown,
  handler: unknown,
  payload: string,
): Promise<Outcome> {
  if (typeof handler !== "function")
    return failed("not_a_function", "not_a_function", `got ${typeof handler}`);
  try {
    const args = built.parseJson(payload) as readonly unknown[]; // the host sends a list
    const answer = await calls.enter(call, owner, handler, args);
    const walked = walk(answer ?? null, "answer", false, isUsable);
    return walked.ok ? { answer: walked.value } : failed("invalid", "invalid", walked.message);
  } catch (error) {
    const thrown = thrownFields(error);
    return failed("throw", thrown.class, thrown.message);
  }
}

function failed(kind: "throw" | "invalid" | "not_a_function", className: string, message: string): Outcome {
  return { failure: built.bare({ kind, class: className, message }) };
}

/** A context with half a surrogate pair counts for nothing; a copy would be mended and not show it. */
function isUsable(key: string, member: unknown): boolean {
  return key !== "additionalContext" || typeof member !== "string" || built.toWellFormed(member) === member;
}

/** A block ends the event, in whatever form it is written. */
function isBlock(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null || !("block" in answer)) return false;
  return answer.block !== null && answer.block !== false;
}
