/**
 * The shape of each fact's data, newest version only (older ones live in `upcast.ts`), and the check of a fact
 * before it is recorded. The only file of this room that loads zod; readers of the log do without it.
 *
 * A member without a value is `null`, never absent. docs/reference/facts.md is generated from this file.
 */
import { z } from "zod";
import { LemonError } from "../errors.ts";
import { catalogue, type FactType } from "./catalogue.ts";

const count = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const callId = z.string().min(1);
const details = z.record(z.string(), z.unknown()).nullable();

const contentBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);

const usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  reasoningTokens: count,
});

const approvalMode = z.enum(["auto", "ask", "deny"]);

const sessionSettings = {
  /** `provider/model-id`. */
  model: z.string(),
  approval: approvalMode,
  /** `null`: no limit. */
  maxToolConcurrency: z.int().positive().nullable(),
  maxToolTurns: z.int().positive().nullable(),
  /** A scripted model; its bytes are a blob, so a resumed session needs no file. */
  script: z.object({ path: z.string(), sha256 }).nullable(),
  /** Files and folders of extensions that the session was given beside those that are configured. */
  extensions: z.array(z.string()),
  /** In place of those that are configured; `null`: the configuration holds. */
  extensionPaths: z.array(z.string()).nullable(),
  /** Tools that are not offered, by name. */
  disabled: z.array(z.string()),
  /** The only tools that are offered; then `disabled` has no effect. `null`: all. */
  enabledOnly: z.array(z.string()).nullable(),
  includeExtensions: z.boolean(),
  toolPolicy: z.object({
    allow: z.union([z.literal("all"), z.array(z.string())]),
    deny: z.array(z.string()),
    blockedTools: z.array(z.string()),
    requireApproval: z.array(z.string()),
    /** By the name of a tool, or by the beginning of names with `*` after it. */
    approvals: z.record(z.string(), approvalMode),
  }),
};

/** What the provider wants back with a part, such as a signature; opaque. */
const providerMetadata = z.record(z.string(), z.record(z.string(), z.unknown())).nullable();

const assistantPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), providerMetadata }),
  z.object({ type: z.literal("reasoning"), text: z.string(), providerMetadata }),
]);

/** How many handlers judge a call, and how many its result. */
const interceptors = {
  /** Of `onToolCall`. */
  hooks: count,
  /** Of `onToolResult`. */
  resultHooks: count,
};

/** A call as the model wrote it, and what the registry knew of its tool when the answer arrived. */
const modelCall = z.object({
  callId,
  providerCallId: z.string().nullable(),
  name: z.string(),
  /** The parsed arguments; `null` when the text could not be parsed to an object. */
  args: z.record(z.string(), z.unknown()).nullable(),
  /** The arguments as they came, when `args` is null. */
  argumentsText: z.string().nullable(),
  providerMetadata,
  /** Why the call cannot run: an unknown tool or bad arguments. */
  refusal: z.object({ errorType: z.string(), message: z.string(), errors: z.array(z.string()) }).nullable(),
  /** Its arguments held a secret: the log has the masked form, only this process the real one. */
  masked: z.boolean(),
  parallelSafe: z.boolean(),
  idempotent: z.boolean(),
  approval: approvalMode,
  ...interceptors,
});

/** One load of extensions: for one working directory and one list of places. */
const load = z.string().min(1);
const module = z.string();
const sourcePath = z.string().nullable();
const jsonObject = z.record(z.string(), z.unknown());
const providerType = z.enum(["model", "memory", "search"]);

/** Where a tool comes from. */
const toolSource = z.union([
  z.literal("builtin"),
  z.object({ kind: z.enum(["wasm", "extension", "mcp"]), id: z.string() }),
]);

const interceptingHook = z.enum(["onToolCall", "onToolResult"]);
const replacedArgs = z.record(z.string(), z.unknown()).nullable();

/** How a handler failed. */
const hookFailure = z.object({
  kind: z.enum(["throw", "timeout", "crash", "invalid", "not_a_function", "quarantined"]),
  class: z.string(),
  message: z.string(),
});

/** An exit reason as the supervisors tell it: never an error's stack. */
const exitReason = z.object({
  kind: z.enum(["normal", "shutdown", "killed", "crash"]),
  detail: z.unknown().optional(),
});

const supervised = {
  /** Path in the tree, such as `runtime/services/sessions`. */
  supervisor: z.string(),
  childId: z.string(),
  instance: count,
};
const childType = z.enum(["worker", "supervisor"]);

/** The newest schema of each fact's data. */
export const factSchemas = {
  "session.started": z.object({
    sessionId: z.string(),
    cwd: z.string(),
    systemPrompt: z.string(),
    ...sessionSettings,
  }),
  "session.configured": z.object(sessionSettings),
  "session.shut_down": z.object({ reason: z.string() }),

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
  "message.appended": z.object({ content: z.array(contentBlock), source: z.enum(["steer", "follow_up"]) }),

  "model.requested": z.object({ turn: count, attempt: z.int().positive() }),
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
  }),
  "model.lost": z.object({}),
  "model.cancelled": z.object({}),
  "model.retry_scheduled": z.object({ attempt: z.int().positive(), delayMs: count, dueAt: z.int() }),
  "model.retry_due": z.object({}),

  "tool_call.requested": z.object({
    callId,
    name: z.string(),
    approval: approvalMode,
    ...interceptors,
    idempotent: z.boolean(),
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
  "tool_call.started": z.object({ callId, name: z.string(), idempotent: z.boolean(), args: replacedArgs }),
  "tool_call.process_started": z.object({
    callId,
    pid: z.int().positive(),
    startTime: z.int().nullable(),
    bootId: z.string().nullable(),
    host: z.string(),
  }),
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
    reason: z.enum(["process_died", "arguments_not_stored", "tool_missing"]),
  }),

  "extensions.requested": z.object({
    load,
    generation: count,
    cwd: z.string(),
    /** In search order. */
    searchPaths: z.array(
      z.object({
        path: z.string(),
        origin: z.enum(["configured", "global", "project", "option"]),
        exists: z.boolean(),
      }),
    ),
    /** In search order; the last of one module is kept. Objects of the program have no path and stand last. */
    candidates: z.array(z.object({ module, sourcePath })),
  }),
  "extension.overridden": z.object({ load, module, sourcePath, keptSourcePath: sourcePath }),
  "extension.loaded": z.object({
    load,
    module,
    sourcePath,
    name: z.string(),
    version: z.string(),
    capabilities: z.array(z.string()),
    configSchema: jsonObject,
    /** Of the code that runs; `null` for an object of the program. */
    sha256: sha256.nullable(),
  }),
  "extension.load_failed": z.object({
    load,
    sourcePath: z.string(),
    error: jsonObject,
    errorMessage: z.string(),
  }),
  "extension.invalid": z.object({ load, module, sourcePath, errors: z.array(z.string()) }),
  "extension.warned": z.object({ load, module, sourcePath, warnings: z.array(z.string()) }),
  "extensions.collected": z.object({
    load,
    generation: count,
    /** The load whose place it takes in one session; `null` for a first one. */
    replaces: load.nullable(),
    /** Whether the session was the last that used the load it leaves. */
    releases: z.boolean(),
    /** Epoch milliseconds. */
    loadedAt: z.int(),
    /** Built-in tools, in their order. */
    builtIn: z.array(z.string()),
    tools: z.array(z.object({ module, sourcePath, name: z.string() })),
    providers: z.array(z.object({ type: providerType, name: z.string(), module, sourcePath })),
    /** Providers that were there before any extension. */
    core: z.array(z.object({ type: providerType, name: z.string() })),
  }),
  "tool.shadowed": z.object({ load, name: z.string(), winner: toolSource, loser: toolSource }),
  "provider.registered": z.object({ load, type: providerType, name: z.string(), module }),
  "provider.conflicted": z.object({
    load,
    type: providerType,
    name: z.string(),
    /** A module, or `builtin`. */
    winner: z.string(),
    shadowed: z.array(z.string()),
  }),
  "provider.unregistered": z.object({ load, type: providerType, name: z.string(), module }),
  "extensions.reloaded": z.object({ load, generation: count }),
  "extensions.released": z.object({ load }),
  "extension.restarted": z.object({
    generation: count,
    module,
    cause: z.enum(["exit", "error", "memory", "deadline", "unresponsive", "start_failed"]),
    restarts: count,
  }),
  "extension.quarantined": z.object({
    generation: count,
    module,
    reason: z.string(),
    /** Epoch milliseconds. */
    since: z.int(),
    restarts: count,
  }),

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
