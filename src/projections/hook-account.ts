/**
 * What hooks did to the calls of a session: who saw each call, what each answered, and what came out. From facts alone,
 * so it can be told long after the extensions have gone. docs/how-to/explain-a-hook.md
 */
import type { FactData, FactOf } from "../events/index.ts";
import { CONTEXT_LABEL } from "../hooks/index.ts";
import type { Projection } from "./projection.ts";

type Content = FactData<"tool_call.returned">["content"];
type Answered = FactData<"hook.answered">["answers"][number];

/** One handler that was asked, in the order in which they were. */
export interface HandlerAccount {
  readonly hook: string;
  /** The extension; the empty string when there was nobody to ask any more. */
  readonly module: string;
  readonly handler: number;
  /** Members of its answer that can have an effect, such as `block`. Whether they had one, the outcome tells. */
  readonly said: readonly string[];
  /** As recorded, secrets hidden; `null` for nothing. One whose JSON is longer than 2,000 characters is cut to a text. */
  readonly answer: unknown;
  readonly failure: Answered["failure"];
  /** Milliseconds. */
  readonly durationMs: number;
}

/** Whether somebody was asked to allow the call, and what they said. */
export interface ApprovalAccount {
  /** What the policy said of the call. */
  readonly mode: FactData<"tool_call.requested">["approval"];
  readonly asked: boolean;
  /** `null` while nobody has answered. */
  readonly verdict: FactData<"approval.resolved">["verdict"] | null;
  readonly reason: string | null;
  /** Milliseconds from the question to the answer. */
  readonly waitedMs: number | null;
}

/** How far the call came. */
export interface CallOutcome {
  /**
   * `pending`: it has not ended. `refused`: it ended without a start and without a verdict, such as one of an unknown
   * tool, with bad arguments, not there in plan mode, or aborted before its turn.
   */
  readonly status: "pending" | "ran" | "blocked" | "denied" | "refused" | "interrupted";
  readonly isError: boolean;
  /** Why it did not run, or the word of its error result. */
  readonly reason: string | null;
  /** What it ran with, or would have. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** Whether `args` are those of a hook and not of the model. */
  readonly argsReplaced: boolean;
  /** Whether the model was shown something else in place of what the tool returned. */
  readonly resultChanged: boolean;
  /** What hooks wanted to be seen beside it, label line included. */
  readonly context: string | null;
}

/** One call and what hooks did to it. */
export interface CallAccount {
  readonly callId: string;
  readonly tool: string;
  /** As the model wrote them, secrets hidden. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** Version of the answer that holds the call. */
  readonly version: number;
  /** Those that judged it and those that reviewed its result, then observers that failed. */
  readonly handlers: readonly HandlerAccount[];
  readonly approval: ApprovalAccount;
  readonly outcome: CallOutcome;
}

/** The calls of a session, in their order. */
export interface HookAccount {
  readonly calls: Readonly<Record<string, CallAccount>>;
  /** When each open question was asked; epoch milliseconds. */
  readonly askedAt: Readonly<Record<string, number>>;
  /** What the tools of calls that have not ended returned. */
  readonly returned: Readonly<Record<string, Content>>;
}

type AccountFact =
  | "model.responded"
  | "tool_call.requested"
  | "hook.answered"
  | "hook.failed"
  | "approval.requested"
  | "approval.resolved"
  | "tool_call.started"
  | "tool_call.blocked"
  | "tool_call.returned"
  | "tool_call.completed"
  | "tool_call.interrupted";

/** Characters of an answer that are shown. */
const ANSWER_CAP = 2_000;

/** The account of a session's stream. */
export const hookAccount: Projection<HookAccount, AccountFact> = {
  name: "hook_account",
  version: 2,
  initial: { calls: {}, askedAt: {}, returned: {} },
  types: {
    "model.responded": true,
    "tool_call.requested": true,
    "hook.answered": true,
    "hook.failed": true,
    "approval.requested": true,
    "approval.resolved": true,
    "tool_call.started": true,
    "tool_call.blocked": true,
    "tool_call.returned": true,
    "tool_call.completed": true,
    "tool_call.interrupted": true,
  },
  fold: foldAccount,
};

function foldAccount(view: HookAccount, fact: FactOf<AccountFact>): HookAccount {
  switch (fact.type) {
    case "model.responded":
      return { ...view, calls: { ...view.calls, ...newCalls(fact) } };
    case "tool_call.requested":
      return withCall(view, fact.data.callId, (call) => ({
        ...call,
        approval: { ...call.approval, mode: fact.data.approval },
      }));
    case "hook.answered": {
      const { callId, hook, answers } = fact.data;
      const handlers = answers.map((answer) => handlerOf(hook, answer));
      return withCall(view, callId, (call) => ({ ...call, handlers: [...call.handlers, ...handlers] }));
    }
    case "hook.failed": {
      const { callId, hook, module, handler, kind, class: errorClass, message, durationMs } = fact.data;
      const failure = { kind, class: errorClass, message };
      const failed = { hook, module, handler, said: [], answer: null, failure, durationMs };
      return withCall(view, callId, (call) => ({ ...call, handlers: [...call.handlers, failed] }));
    }
    case "approval.requested": {
      const { callId, args } = fact.data;
      const asked = withCall(view, callId, (call) => ({
        ...call,
        approval: { ...call.approval, asked: true },
        outcome: replaced(call.outcome, args),
      }));
      return { ...asked, askedAt: { ...view.askedAt, [callId]: fact.at } };
    }
    case "approval.resolved": {
      const { callId, verdict, reason } = fact.data;
      const { [callId]: askedAt = fact.at, ...others } = view.askedAt;
      const answered = withCall(view, callId, (call) => ({
        ...call,
        // A clock may go backwards; a wait can't be less than nothing.
        approval: { ...call.approval, verdict, reason, waitedMs: Math.max(0, fact.at - askedAt) },
      }));
      return { ...answered, askedAt: others };
    }
    case "tool_call.started":
      return withOutcome(view, fact.data.callId, (outcome) => ({
        ...replaced(outcome, fact.data.args),
        status: "ran",
      }));
    case "tool_call.blocked": {
      const { callId, errorType, reason, context } = fact.data;
      const status = errorType === "approval_denied" ? "denied" : "blocked";
      return withOutcome(view, callId, (outcome) => ({ ...outcome, status, isError: true, reason, context }));
    }
    case "tool_call.returned":
      return { ...view, returned: { ...view.returned, [fact.data.callId]: fact.data.content } };
    case "tool_call.completed": {
      const { callId, isError, reason, content } = fact.data;
      const { [callId]: original = [], ...returned } = view.returned;
      const shown = content === null || reason === "aborted" ? null : apartFromContext(content);
      const completed = withOutcome(view, callId, (outcome) => ({
        ...outcome,
        status: outcome.status === "ran" ? "ran" : "refused",
        isError,
        reason,
        resultChanged:
          outcome.status === "ran" &&
          shown !== null &&
          JSON.stringify(shown.result) !== JSON.stringify(original),
        context: shown?.context ?? null,
      }));
      return { ...completed, returned };
    }
    case "tool_call.interrupted":
      return withOutcome(view, fact.data.callId, (outcome) => ({
        ...outcome,
        status: "interrupted",
        isError: true,
        reason: fact.data.reason,
      }));
  }
}

/** What the model was shown, without the text that handlers wanted to be seen beside it, which is its last block. */
function apartFromContext(content: Content): { readonly result: Content; readonly context: string | null } {
  const last = content.at(-1);
  return last?.type === "text" && last.text.startsWith(`${CONTEXT_LABEL}\n`)
    ? { result: content.slice(0, -1), context: last.text }
    : { result: content, context: null };
}

function newCalls({ version, data }: FactOf<"model.responded">): Record<string, CallAccount> {
  return Object.fromEntries(
    data.calls.map(({ callId, name, args, approval }) => {
      const outcome: CallOutcome = {
        status: "pending",
        isError: false,
        reason: null,
        args,
        argsReplaced: false,
        resultChanged: false,
        context: null,
      };
      const asked = { mode: approval, asked: false, verdict: null, reason: null, waitedMs: null };
      return [callId, { callId, tool: name, args, version, handlers: [], approval: asked, outcome }];
    }),
  );
}

function handlerOf(hook: string, { module, handler, answer, failure, durationMs }: Answered): HandlerAccount {
  return { hook, module, handler, said: saidIn(answer), answer: bounded(answer), failure, durationMs };
}

/** Members that a handler can answer with, and that are there. */
function saidIn(answer: unknown): string[] {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return [];
  const given = answer as Readonly<Record<string, unknown>>;
  const isSaid = (name: string): boolean => {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    return value !== null && value !== undefined && value !== false;
  };
  return ["block", "replaceArgs", "replace", "additionalContext"].filter(isSaid);
}

function bounded(answer: unknown): unknown {
  const text = JSON.stringify(answer ?? null);
  return text.length <= ANSWER_CAP ? (answer ?? null) : `${text.slice(0, ANSWER_CAP - 1).toWellFormed()}…`;
}

function replaced(outcome: CallOutcome, args: CallOutcome["args"]): CallOutcome {
  return args === null ? outcome : { ...outcome, args, argsReplaced: true };
}

function withOutcome(
  view: HookAccount,
  callId: string,
  change: (outcome: CallOutcome) => CallOutcome,
): HookAccount {
  return withCall(view, callId, (call) => ({ ...call, outcome: change(call.outcome) }));
}

function withCall(
  view: HookAccount,
  callId: string | null,
  change: (call: CallAccount) => CallAccount,
): HookAccount {
  const call = callId === null || !Object.hasOwn(view.calls, callId) ? undefined : view.calls[callId];
  return call === undefined ? view : { ...view, calls: { ...view.calls, [call.callId]: change(call) } };
}
