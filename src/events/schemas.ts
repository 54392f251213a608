/**
 * The shape of each fact's data, newest version only (older ones live in `upcast.ts`), and the check of a fact
 * before it is recorded. The only file of this room that loads zod; readers of the log do without it.
 *
 * A member without a value is `null`, never absent. docs/reference/facts.md is generated from this file.
 */
import { z } from "zod";
import { backgroundFactSchemas } from "./background-schemas.ts";
import { extensionFactSchemas } from "./extension-schemas.ts";
import { harnessFactSchemas, receipt } from "./harness-schemas.ts";
import { featureFactSchemas } from "./feature-schemas.ts";
import { sessionFactSchemas } from "./session-schemas.ts";
import { sideQueryFactSchemas } from "./side-query-schemas.ts";
import { subagentFactSchemas } from "./subagent-schemas.ts";
import { LemonError } from "../errors.ts";
import { catalogue, type FactType } from "./catalogue.ts";
import {
  count,
  sha256,
  callId,
  details,
  contentBlock,
  usage,
  approvalMode,
  overlength,
  sessionMode,
  assistantPart,
  interceptors,
  modelCall,
  module,
  jsonObject,
  interceptingHook,
  replacedArgs,
  hookFailure,
  exitReason,
  supervised,
  childType,
} from "./fact-shapes.ts";

/** The newest schema of each fact's data. */
export const factSchemas = {
  ...sessionFactSchemas,

  "extension_status_report.published": z.object({ report: jsonObject }),
  "hook_context.appended": z.object({
    hook: z.literal("onSessionStart"),
    /** What the model is shown, label line included. */
    text: z.string(),
    /** Which handlers had a part in it, in their order. */
    from: z.array(z.object({ module, sha256: sha256.nullable(), handler: count })),
  }),
  "hook.failed": z.object({
    hook: z.string(),
    module,
    /** Of the code that ran; `null` for an extension inside the program. */
    sha256: sha256.nullable(),
    /** Its place among the handlers of this hook and extension, from 0. */
    handler: count,
    ...hookFailure.shape,
    callId: z.string().nullable(),
    /** Milliseconds. */
    durationMs: z.number().nonnegative(),
  }),

  "prompt.submitted": z.object({ runId: z.string(), content: z.array(contentBlock) }),
  "steer.submitted": z.object({ content: z.array(contentBlock) }),
  "follow_up.submitted": z.object({ content: z.array(contentBlock) }),
  "abort.requested": z.object({ reason: z.string() }),

  "agent.started": z.object({ runId: z.string() }),
  "agent.ended": z.object({
    runId: z.string(),
    status: z.enum(["completed", "aborted", "failed"]),
    stopReason: z.enum(["end_turn", "max_tokens", "content_filter", "aborted", "max_tool_turns", "error"]),
    error: z.object({ class: z.string(), status: z.int().nullable() }).nullable(),
    usage,
    turns: count,
  }),
  "turn.started": z.object({ turn: count }),
  "turn.ended": z.object({ turn: count, toolCalls: count }),
  "turn_budget.exhausted": z.object({ maxToolTurns: count, toolTurns: count }),
  "message.appended": z.object({
    content: z.array(contentBlock),
    source: z.enum(["steer", "follow_up", "task"]),
  }),

  "model.requested": z.object({
    turn: count,
    attempt: z.int().positive(),
    /** Whose tools the model is offered. */
    mode: sessionMode,
    /** Whether the conversation may be compacted instead, which it is once in a turn. */
    mayCompact: z.boolean(),
  }),
  "model.responded": z.object({
    modelId: z.string(),
    content: z.array(assistantPart),
    calls: z.array(modelCall),
    finishReason: z.enum(["stop", "length", "content_filter", "tool_calls"]),
    usage,
    /** Digest of what the model was sent: system prompt and messages. */
    requestSha256: sha256,
    /** Digest of the tools that were offered with it. */
    toolsSha256: sha256,
  }),
  "model.failed": z.object({
    class: z.string(),
    status: z.int().nullable(),
    retryable: z.boolean(),
    /** Milliseconds to wait before the next attempt, chance included; `null` when there is none. */
    delayMs: count.nullable(),
    partialText: z.string(),
    usage,
    requestSha256: sha256,
    toolsSha256: sha256,
    /** It was refused as too long, and the conversation is compacted before the next attempt; `null` when it is not. */
    compaction: overlength.nullable(),
  }),
  "model.lost": z.object({}),
  "model.cancelled": z.object({}),
  "model.retry_scheduled": z.object({ attempt: z.int().positive(), delayMs: count, dueAt: z.int() }),
  "model.retry_due": z.object({}),

  "compaction.due": overlength,
  "compaction.requested": z.object({
    turn: count,
    /** `refused`: the provider would not take the request. */
    reason: z.enum(["due", "refused"]),
    ...overlength.shape,
  }),
  "session.compacted": z.object({
    summary: z.string(),
    /** So many messages of the transcript, its first, are no longer sent; `kept` names those of them that are. */
    messages: count,
    kept: z.array(count),
    /** Tokens that the summarised text could have. */
    room: count,
    /** Messages that did not fit in there. */
    leftOut: count,
    tokensBefore: count,
    tokensAfter: count,
    modelId: z.string(),
    usage,
    requestSha256: sha256,
  }),
  "compaction.failed": z.object({ class: z.string(), status: z.int().nullable(), usage }),
  "compaction.lost": z.object({}),

  "tool_call.requested": z.object({
    callId,
    name: z.string(),
    approval: approvalMode,
    ...interceptors,
    idempotent: z.boolean(),
    /** `plan` once plan mode was on at any time since the model was asked. */
    mode: sessionMode,
  }),
  "hook.requested": z.object({ callId, hook: interceptingHook }),
  "hook.answered": z.object({
    callId,
    hook: interceptingHook,
    /** The answers held a secret: the log has the masked form, only this process the real one. */
    masked: z.boolean(),
    /** In registration order; handlers after one that blocked did not run and are not there. */
    answers: z.array(
      z.object({
        module,
        sha256: sha256.nullable(),
        /** Its place among the handlers of this hook and extension, from 0. */
        handler: count,
        /** What it returned, as JSON; `null` for nothing. */
        answer: z.unknown(),
        failure: hookFailure.nullable(),
        /** Milliseconds. */
        durationMs: z.number().nonnegative(),
      }),
    ),
  }),
  "tool_call.blocked": z.object({
    callId,
    errorType: z.string(),
    reason: z.string(),
    /** What hooks want the model to see beside it, label line included. */
    context: z.string().nullable(),
  }),
  /** `args`: what hooks put in the place of the model's; `null` when they did not. The same in `tool_call.started`. */
  "approval.requested": z.object({ callId, name: z.string(), args: replacedArgs }),
  "approval.resolved": z.object({
    callId,
    verdict: z.enum(["allow", "deny"]),
    reason: z.string().nullable(),
  }),
  "tool_call.started": z.object({
    callId,
    name: z.string(),
    idempotent: z.boolean(),
    args: replacedArgs,
    /** Whose tool of that name it is. */
    mode: sessionMode,
  }),
  "tool_call.process_started": z.object({
    callId,
    pid: z.int().positive(),
    startTime: z.int().nullable(),
    bootId: z.string().nullable(),
    host: z.string(),
  }),
  "plan.proposed": z.object({ callId, planId: z.string(), plan: z.string() }),
  "tool_call.returned": z.object({
    callId,
    isError: z.boolean(),
    /** The word of docs/reference/tools.md for a result that the runtime wrote itself. */
    errorType: z.string().nullable(),
    /** It is the message of an exception or of a crash: hooks see it and can't change it. */
    isThrown: z.boolean(),
    content: z.array(contentBlock),
    details,
    trust: z.enum(["trusted", "untrusted"]),
    /** What the call changed; `null` for a tool that changes nothing, or when it follows by itself. */
    receipt: receipt.nullable(),
  }),
  "tool_call.completed": z.object({
    callId,
    isError: z.boolean(),
    /** Why it ended without its tool's own result. */
    reason: z.string().nullable(),
    /** Only when it differs from what the tool returned. */
    content: z.array(contentBlock).nullable(),
    details,
  }),
  "tool_call.interrupted": z.object({
    callId,
    reason: z.enum(["process_died", "arguments_not_stored", "tool_missing", "forked"]),
    /** What it had changed by then, as far as that can be told; `null` when it had not begun or changes nothing. */
    receipt: receipt.nullable(),
  }),

  "tool_call.receipt_recorded": z.object({
    callId,
    /** What it had changed when it really ended. */
    receipt,
  }),

  ...extensionFactSchemas,
  ...featureFactSchemas,
  ...harnessFactSchemas,
  ...sideQueryFactSchemas,
  ...backgroundFactSchemas,
  ...subagentFactSchemas,

  "child.started": z.object({ ...supervised, childType }),
  "child.exited": z.object({ ...supervised, reason: exitReason }),
  "child.restarted": z.object({ ...supervised, childType, restarts: count }),
  "child.start_failed": z.object({ ...supervised, reason: exitReason }),
  "child.late_error": z.object({ ...supervised, reason: exitReason }),
  "supervisor.gave_up": z.object({
    ...supervised,
    reason: exitReason,
    intensity: count,
    periodSeconds: z.number(),
  }),
} satisfies Record<FactType, z.ZodType>;

/** The data of a fact does not match its type. Code `LEMON_INVALID_FACT`; `field` is the dotted path. */
export class InvalidFactError extends LemonError {
  constructor(type: string, field: string, expected: string) {
    super("invalid_fact", `${type}: ${field}: ${expected}`, { field, expected });
  }
}

/**
 * Checks data against the newest schema of its type. A type that this version doesn't know passes: it is carried.
 *
 * @throws InvalidFactError for a known type with wrong data, or one written at an old or newer `schemaVersion`
 */
export function checkFact(type: string, schemaVersion: number, data: unknown): void {
  if (!Object.hasOwn(factSchemas, type)) return;
  const known = type as FactType;
  const newest = catalogue[known].schemaVersion;
  if (schemaVersion !== newest) {
    throw new InvalidFactError(type, "schemaVersion", `expected ${newest}, got ${schemaVersion}`);
  }
  const parsed = factSchemas[known].safeParse(data);
  if (parsed.success) return;
  const issue = parsed.error.issues[0];
  throw new InvalidFactError(type, ["data", ...(issue?.path ?? [])].join("."), issue?.message ?? "invalid");
}
