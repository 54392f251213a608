/** The handlers of one event, one after the other, in this process. docs/reference/extensions.md, "In process" */
import type { Json } from "../../events/index.ts";
import type { Clock } from "../../ports.ts";
import { copyJson } from "../../tools/for-authors.ts";
import { boundedMessage } from "../members/words.ts";
import type { HandlerFailure, HandlerOutcome, RunHooksOptions } from "../port.ts";
import { thrownClass } from "./author-error.ts";
import { type Life, unloaded } from "./life.ts";

/** Handlers and what `this` is for them. */
export interface Handlers {
  readonly owner: unknown;
  readonly list: readonly unknown[];
}

/**
 * Runs them; never rejects. Each has arguments of its own and its own time. One that runs over it is abandoned: it can't be
 * ended here, the next one runs, and what it answers later is dropped.
 */
export async function runHandlers(
  { owner, list }: Handlers,
  args: readonly Json[],
  { handlerMs, eventMs, untilBlocked }: RunHooksOptions,
  { clock, life }: { readonly clock: Clock; readonly life: Life },
): Promise<readonly HandlerOutcome[]> {
  const payload = JSON.stringify(args);
  const endsAt = clock.monotonic() + (eventMs ?? Infinity);
  const outcomes: HandlerOutcome[] = [];
  for (const handler of list) {
    const leftMs = endsAt - clock.monotonic();
    if (leftMs <= 0) break;
    const limitMs = Math.min(handlerMs, leftMs);
    const running = runHandler(handler, { owner, payload, limitMs, clock, life });
    const outcome = running instanceof Promise ? await running : running;
    outcomes.push(outcome);
    if (untilBlocked && (outcome.status !== "answered" || isBlock(outcome.answer))) break;
    if (life.hasEnded) break;
  }
  return list.map((_, index) => outcomes[index] ?? { status: "not_run" });
}

interface HandlerCall {
  readonly owner: unknown;
  /** The arguments, JSON. */
  readonly payload: string;
  readonly limitMs: number;
  readonly clock: Clock;
  readonly life: Life;
}

/** One that answers at once needs no timer: nothing could stop it. */
function runHandler(handler: unknown, call: HandlerCall): HandlerOutcome | Promise<HandlerOutcome> {
  const { owner, payload, limitMs, clock, life } = call;
  if (typeof handler !== "function")
    return failed({ kind: "not_a_function", message: `got ${typeof handler}` }, 0);
  if (life.hasEnded) return failed({ kind: "crash", message: unloaded }, 0);
  const startedAt = clock.monotonic();
  const tookMs = (): number => clock.monotonic() - startedAt;
  const late: HandlerFailure = { kind: "timeout", class: "timeout", message: `timed out after ${limitMs}ms` };
  const told = (answer: unknown): HandlerOutcome => {
    const durationMs = tookMs();
    // One that never gives way keeps a timer from firing.
    return durationMs > limitMs ? failed(late, durationMs) : answered(answer, durationMs);
  };
  const threw = (error: unknown): HandlerOutcome => {
    const failure = { kind: "throw", class: thrownClass(error), message: boundedMessage(error) } as const;
    return failed(tookMs() > limitMs ? late : failure, tookMs());
  };
  let answer: unknown;
  let isPending: boolean;
  try {
    answer = Reflect.apply(handler, owner, JSON.parse(payload) as unknown[]) as unknown;
    isPending = isThenable(answer);
  } catch (error) {
    return threw(error);
  }
  if (!isPending) return told(answer);
  return new Promise((resolve) => {
    const settle = (outcome: HandlerOutcome): void => {
      cancel();
      leave();
      resolve(outcome);
    };
    const leave = life.enter(() => settle(failed({ kind: "crash", message: unloaded }, tookMs())));
    const cancel = clock.setTimer(limitMs, () => settle(failed(late, tookMs())));
    const run = async (): Promise<unknown> => answer;
    run().then(
      (value) => settle(told(value)),
      (error: unknown) => settle(threw(error)),
    );
  });
}

function isThenable(answer: unknown): boolean {
  const isObject = (typeof answer === "object" && answer !== null) || typeof answer === "function";
  return isObject && typeof (answer as { readonly then?: unknown }).then === "function";
}

function answered(answer: unknown, durationMs: number): HandlerOutcome {
  if (answer === undefined || answer === null) return { status: "answered", answer: null, durationMs };
  const copy = copyJson(answer, "answer", isUsable);
  return copy.ok
    ? { status: "answered", answer: copy.value as Json, durationMs }
    : failed({ kind: "invalid", message: copy.message }, durationMs);
}

/** A context with half a surrogate pair counts for nothing; a copy would be mended and not show it. */
function isUsable(key: string, member: unknown): boolean {
  return key !== "additionalContext" || typeof member !== "string" || member.isWellFormed();
}

function failed(
  { kind, message, ...rest }: Omit<HandlerFailure, "class"> & { readonly class?: string },
  durationMs: number,
): HandlerOutcome {
  return { status: "failed", failure: { kind, class: rest.class ?? kind, message }, durationMs };
}

/** A block ends the event, in whatever form its reason is. */
function isBlock(answer: Json): boolean {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false;
  const { block } = answer as { readonly block?: Json };
  return block !== undefined && block !== null && block !== false;
}
