/**
 * The hooks of an extension: when each runs, what it is given, what it may answer. docs/reference/hooks.md
 *
 * Everything that a hook is given is a copy of its own: to change it changes nothing.
 */
import type { ContentBlock } from "../tools/index.ts";

type Answer<Value> = Value | undefined | void | null | Promise<Value | undefined | void | null>;
type Observed = unknown;

/** Text that the model is shown: after the result of the call, or before the first prompt. */
export interface AdditionalContext {
  readonly additionalContext?: string;
}

/** A session as its hooks are told of it. */
export interface SessionStartEvent {
  readonly sessionId: string;
  readonly cwd: string;
  readonly sessionScope: "main" | "subagent";
}

/** The end of a session, as its hooks are told of it. */
export interface SessionShutdownEvent {
  readonly sessionId: string;
  readonly cwd: string;
  /** What the caller said, else `normal`; `shutdown` when the runtime closes, `error` when the session kept crashing. */
  readonly reason: string;
}

/** A call before it runs. */
export interface ToolCallEvent {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly sessionId: string;
}

/** A call after it ran. */
export interface ToolResultEvent extends ToolCallEvent {
  readonly result: unknown;
  readonly isError: boolean;
}

/** What a hook may do about a call. `block` wins over `replaceArgs`. */
export interface ToolCallAnswer extends AdditionalContext {
  readonly block?: string | false | null;
  readonly replaceArgs?: Readonly<Record<string, unknown>>;
}

/** What a hook may do about a result: other content, other details, or text after it. */
export interface ToolResultAnswer extends AdditionalContext {
  readonly replace?: {
    readonly content?: readonly ContentBlock[];
    readonly details?: Readonly<Record<string, unknown>> | null;
  };
}

/** One handler for each hook; a list of handlers is as good as one. Methods, so that `this` may be the table. */
export interface HookHandlers {
  onSessionStart(event: SessionStartEvent): Answer<AdditionalContext>;
  onSessionShutdown(event: SessionShutdownEvent): Observed;
  onAgentStart(): Observed;
  /** The messages that the run added, its prompt first. */
  onAgentEnd(messages: readonly HookMessage[]): Observed;
  onTurnStart(): Observed;
  onTurnEnd(message: HookMessage, toolResults: readonly HookMessage[]): Observed;
  onMessageStart(message: HookMessage): Observed;
  onMessageEnd(message: HookMessage): Observed;
  onToolExecutionStart(id: string, name: string, args: Readonly<Record<string, unknown>> | null): Observed;
  onToolExecutionEnd(id: string, name: string, result: HookToolResult, isError: boolean): Observed;
  onToolCall(event: ToolCallEvent): Answer<ToolCallAnswer>;
  onToolResult(event: ToolResultEvent): Answer<ToolResultAnswer>;
}

/** A message as hooks see it: `role` is `user`, `assistant`, `tool` or `custom`. */
export type HookMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** A result as hooks see it. */
export interface HookToolResult {
  readonly content: readonly ContentBlock[];
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** The name of a hook. */
export type HookName = keyof HookHandlers;

/** What an author writes under `hooks`. */
export type HookTable = {
  readonly [Name in HookName]?: HookHandlers[Name] | readonly HookHandlers[Name][];
};

/** Every hook there is. */
export const hookNames: readonly HookName[] = [
  "onSessionStart",
  "onSessionShutdown",
  "onAgentStart",
  "onAgentEnd",
  "onTurnStart",
  "onTurnEnd",
  "onMessageStart",
  "onMessageEnd",
  "onToolExecutionStart",
  "onToolExecutionEnd",
  "onToolCall",
  "onToolResult",
];
