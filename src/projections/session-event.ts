/** The events of a session, as a subscriber gets them. docs/reference/session-events.md */
import type { TaskStatus } from "./tasks.ts";
import type { ContentBlock, FactData } from "../events/index.ts";

/** The arguments of a call; `null` when the model wrote none that can be read. */
export type EventArgs = Readonly<Record<string, unknown>> | null;
/** Blocks of text and images. */
export type EventContent = readonly ContentBlock[];
type AssistantContent = FactData<"model.responded">["content"];

/** A message, as events show it. */
export type EventMessage =
  | { readonly role: "user"; readonly content: EventContent }
  | {
      readonly role: "assistant";
      readonly content: AssistantContent;
      readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: EventArgs }[];
      readonly stopReason: string;
    }
  /** A message that neither the user nor the model wrote; a screen that shows a conversation leaves it out. */
  | {
      readonly role: "custom";
      readonly customType: "hook_context";
      readonly display: false;
      readonly content: EventContent;
    }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly content: EventContent;
      readonly isError: boolean;
    };

/** One event, without the session's id. */
export type SessionEventBody =
  | { readonly type: "agent_start"; readonly runId: string }
  | { readonly type: "turn_start" | "turn_end"; readonly turn: number }
  | { readonly type: "message_start"; readonly role: EventMessage["role"] }
  | { readonly type: "message_update"; readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly type: "message_end"; readonly message: EventMessage }
  | { readonly type: "message_discarded"; readonly reason: string }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: EventArgs;
    }
  | {
      readonly type: "tool_execution_update";
      readonly toolCallId: string;
      readonly content: readonly unknown[];
    }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: {
        readonly content: EventContent;
        readonly details: Readonly<Record<string, unknown>> | null;
      };
      readonly isError: boolean;
    }
  | {
      readonly type: "approval_requested";
      readonly id: string;
      readonly tool: string;
      readonly args: EventArgs;
    }
  /** The model proposes what it would do; the mode stays. */
  | { readonly type: "plan_proposed"; readonly planId: string; readonly plan: string }
  | { readonly type: "approval_resolved"; readonly id: string; readonly verdict: "allow" | "deny" }
  | {
      readonly type: "model_failed";
      readonly class: string;
      readonly status: number | null;
      readonly retryInMs: number | null;
    }
  /** A summary is being made of the older part of the conversation. docs/reference/compaction.md */
  | { readonly type: "compaction_start"; readonly reason: "due" | "refused"; readonly tokens: number }
  | {
      readonly type: "compaction_end";
      readonly status: "completed" | "failed" | "lost" | "canceled";
      /** What went wrong; `null` unless it failed. */
      readonly class: string | null;
      /** What the model is sent from here on in the place of older messages; `null` unless it was completed. */
      readonly summary: string | null;
      /** Tokens that the next request is taken to have; `null` unless it was completed. */
      readonly tokens: number | null;
    }
  | {
      readonly type: "loop_budget_exhausted";
      readonly reason: string;
      readonly maxToolTurns: number;
      readonly toolTurns: number;
    }
  | { readonly type: "canceled" }
  | { readonly type: "error"; readonly class: string; readonly status: number | null }
  | { readonly type: "agent_end"; readonly status: string; readonly stopReason: string }
  | {
      readonly type: "hook_failed";
      readonly hook: string;
      readonly module: string;
      readonly kind: string;
      readonly toolCallId: string | null;
    }
  /** The whole list as it is now. docs/reference/todos.md */
  | {
      readonly type: "todos_written";
      readonly action: string;
      readonly todos: FactData<"todos.written">["todos"];
    }
  /** The receipt of a call that was told its end before its tool had ended. docs/reference/receipts.md */
  | {
      readonly type: "tool_receipt";
      readonly toolCallId: string;
      readonly receipt: FactData<"tool_call.receipt_recorded">["receipt"];
    }
  /** docs/reference/checkpoints.md */
  | {
      readonly type: "checkpoint_created";
      readonly checkpointId: string;
      readonly kind: "session" | "filesystem";
      readonly origin: "user" | "guard" | "pre_restore";
      readonly tool: string | null;
    }
  | {
      readonly type: "checkpoint_restored";
      readonly checkpointId: string | null;
      readonly status: string;
      readonly results: FactData<"checkpoint.restored">["results"];
    }
  /** docs/reference/subagents.md */
  | {
      readonly type: "task_changed";
      readonly taskId: string;
      readonly status: TaskStatus;
      /** When it is queued. */
      readonly description: string | null;
    }
  /** docs/reference/status-report.md */
  | {
      readonly type: "extension_status_report";
      readonly report: Readonly<Record<string, unknown>>;
    }
  /** A background run that this session asked for has ended. docs/reference/background-runs.md */
  | { readonly type: "background_run_ended"; readonly id: string; readonly status: string }
  | { readonly type: "session_shutdown"; readonly reason: string };

/** An event as a subscriber gets it. */
export type SessionEvent = SessionEventBody & { readonly sessionId: string };

/** What is in the making and not recorded. */
export type LivePiece =
  | { readonly type: "model_delta"; readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool_call_update"; readonly callId: string; readonly content: readonly unknown[] };
