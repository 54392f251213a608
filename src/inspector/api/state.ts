/** What a session was: state, conversation, calls, usage. docs/reference/inspector.md */
import type { Usage } from "../../events/index.ts";
import type { Todo, TodoProgress, TranscriptMessage } from "../../projections/index.ts";

/** `GET /api/sessions/:id/state?at=V`: the state of a session, without its messages and files. */
export interface StateAnswer {
  readonly version: number;
  readonly at: number;
  readonly messageCount: number;
  readonly todos: readonly Todo[];
  readonly todoProgress: TodoProgress;
  /** `session`, `features`, `tools`, `extensions`, `approvals`, `tasks`, `checkpoints` … by name. */
  readonly views: Readonly<Record<string, unknown>>;
}

/**
 * `GET /api/sessions/:id/messages?at=V&from=I&limit=N&chars=C`: messages `from` (counted from 0; default: the last `limit`
 * ones) and up to `limit` of them (1 to 500; default 50). A text longer than `chars` (100 to 1,000,000; default 4,000) is cut there.
 */
export interface MessagesAnswer {
  readonly version: number;
  readonly total: number;
  readonly from: number;
  readonly messages: readonly ShownMessage[];
}

/** A message and its place. */
export interface ShownMessage {
  readonly index: number;
  /** Characters that were cut off, over all its texts; ask again with more `chars` for them. */
  readonly cutChars: number;
  readonly message: TranscriptMessage;
}

/** `GET /api/sessions/:id/calls?at=V&from=I&limit=N` (limit 1 to 2,000; default: the last 500 calls), in call order. */
export interface CallsAnswer {
  readonly version: number;
  readonly at: number;
  readonly total: number;
  readonly from: number;
  readonly calls: readonly CallBar[];
}

/** One call as it stood at that version; what came later is `null`. */
export interface CallBar {
  readonly callId: string;
  readonly tool: string;
  readonly turn: number;
  /** Its arguments in one line, at most 200 characters. */
  readonly summary: string;
  /** The model's answer that holds it. */
  readonly answered: Moment;
  readonly requested: Moment | null;
  readonly started: Moment | null;
  readonly returned: Moment | null;
  readonly ended: Moment | null;
  readonly state: "queued" | "judged" | "asking" | "running" | "reviewed" | "ended";
  /** `null` until it has ended. */
  readonly outcome:
    | "completed"
    | "failed"
    | "blocked"
    | "denied"
    | "refused"
    | "interrupted"
    | "aborted"
    | null;
  readonly isError: boolean;
  readonly reason: string | null;
  readonly hooks: readonly HookVerdict[];
  readonly approval: ApprovalWait | null;
}

/** A fact by its version, and when it was taken. */
export interface Moment {
  readonly version: number;
  readonly at: number;
}

/** What one handler said of a call. */
export interface HookVerdict {
  readonly version: number;
  readonly at: number;
  readonly hook: string;
  /** The extension. */
  readonly module: string;
  readonly sha256: string | null;
  readonly durationMs: number;
  readonly verdict: "passed" | "blocked" | "replaced" | "added_context" | "failed";
  /** Why it blocked, or the class of its failure. */
  readonly reason: string | null;
}

/** How long a person was waited for. */
export interface ApprovalWait {
  readonly asked: Moment;
  readonly resolved: Moment | null;
  readonly verdict: "allow" | "deny" | null;
  readonly waitedMs: number | null;
}

/** `GET /api/sessions/:id/usage?points=N` (2 to 2,000; default 200): cumulative, over the whole session. */
export interface UsageAnswer {
  readonly version: number;
  readonly points: readonly UsagePoint[];
  readonly models: readonly ModelUsage[];
}

/** What had been used by then. */
export interface UsagePoint {
  readonly version: number;
  readonly at: number;
  readonly usage: Usage;
  /** In US dollars; `null` while a model without a known price was asked. */
  readonly cost: number | null;
}

/** What one model was used for. */
export interface ModelUsage {
  readonly model: string;
  readonly requests: number;
  readonly failures: number;
  readonly usage: Usage;
  readonly cost: number | null;
}
