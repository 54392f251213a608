/** Shapes that the data of several facts share. */
import { z } from "zod";

/** A whole number, 0 or more. */
export const count = z.int().nonnegative();
/** Lower-case hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Never empty. */
export const callId = z.string().min(1);
/** For people and programs; `null` for none. */
export const details = z.record(z.string(), z.unknown()).nullable();

/** Text, or an image in base64. */
export const contentBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);

/** Tokens. */
export const usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  reasoningTokens: count,
});

/** That a request is too long, and for what. */
export const overlength = z.object({
  /** What the request is taken to have. */
  tokens: count,
  /** What the model is taken to have room for, its answer included. */
  window: count,
});

/** What becomes of a call: it runs, waits for an answer, or is refused. */
export const approvalMode = z.enum(["auto", "ask", "deny"]);

/** Which tools there are: those of the session, or the few with which a plan is made. */
export const sessionMode = z.enum(["normal", "plan"]);

/** How much a model is to think before it answers. */
export const thinkingLevel = z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]);

/** Whose work a session is, and who asked for it. */
export const sessionLineage = z.object({
  origin: z.enum(["session", "background", "subagent"]),
  /** `session:ID` unless the caller gave one; `background:ID` for a background run, `task:ID` for a subagent. */
  sessionKey: z.string(),
  parentSessionId: z.string().nullable(),
  parentSessionKey: z.string().nullable(),
  /** A name that the caller gave. */
  agentId: z.string().nullable(),
  /** How many subagents deep: 0 for a session that is none. */
  depth: count,
  /** The caller gave the system prompt, in place of the built one. */
  ownSystemPrompt: z.boolean(),
});

/** What can be set of a session. */
export const sessionSettings = {
  /** `provider/model-id`. */
  model: z.string(),
  /** How much the model is to think; `null`: as it does by itself. */
  thinkingLevel: thinkingLevel.nullable(),
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

/** A piece of an answer. */
export const assistantPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), providerMetadata }),
  z.object({ type: z.literal("reasoning"), text: z.string(), providerMetadata }),
]);

/** How many handlers judge a call, and how many its result. */
export const interceptors = {
  /** Of `onToolCall`. */
  hooks: count,
  /** Of `onToolResult`. */
  resultHooks: count,
};

/** A call as the model wrote it, and what the registry knew of its tool when the answer arrived. */
export const modelCall = z.object({
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

/** The id of an extension. */
export const module = z.string();
/** An object as JSON has it. */
export const jsonObject = z.record(z.string(), z.unknown());
/** The hooks that may change what happens. */
export const interceptingHook = z.enum(["onToolCall", "onToolResult"]);
/** Arguments in the place of the model's; `null` when they stayed. */
export const replacedArgs = z.record(z.string(), z.unknown()).nullable();

/** How a handler failed. */
export const hookFailure = z.object({
  kind: z.enum(["throw", "timeout", "crash", "invalid", "not_a_function", "quarantined"]),
  class: z.string(),
  message: z.string(),
});

/** An exit reason as the supervisors tell it: never an error's stack. */
export const exitReason = z.object({
  kind: z.enum(["normal", "shutdown", "killed", "crash"]),
  detail: z.unknown().optional(),
});

/** Which child of which supervisor, and which life of it. */
export const supervised = {
  /** Path in the tree, such as `runtime/services/sessions`. */
  supervisor: z.string(),
  childId: z.string(),
  instance: count,
};
/** Whether a child is a supervisor itself. */
export const childType = z.enum(["worker", "supervisor"]);
