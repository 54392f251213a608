/** Sessions and their timeline. docs/reference/inspector.md */
import type { SessionLineage, Usage } from "../../events/index.ts";

/** Every answer that is not 2xx. `reason` is stable; `message` is for people. */
export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly reason: string;
    readonly message: string;
    /** The parameter that it is about. */
    readonly field?: string;
    readonly expected?: string | number;
    readonly got?: string;
  };
}

/** `GET /api/sessions`: the one with the newest fact first. */
export interface SessionsAnswer {
  readonly sessions: readonly SessionRow[];
  /** The session of the command line, `lemon inspect ID`; `null` without one. */
  readonly selected: string | null;
}

/** A session at a glance. */
export interface SessionRow {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly origin: SessionLineage["origin"];
  readonly parentSessionId: string | null;
  /** `null`, like the model: the data of the fact that told it was left out of this log. */
  readonly cwd: string | null;
  readonly model: string | null;
  readonly status: "idle" | "running" | "shut_down";
  /** Version of its last fact. */
  readonly version: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The first prompt's first line, cut at 200 characters; empty without one. */
  readonly title: string;
  /** `null` for a session that is no fork. */
  readonly forkedFrom: ForkPoint | null;
}

/** Where a fork left its parent: just after the fact `at`. */
export interface ForkPoint {
  readonly sessionId: string;
  readonly at: number;
}

/** `GET /api/sessions/:id` */
export interface OverviewAnswer extends SessionRow {
  /** Whether a process leads it now: more facts may come. */
  readonly isLive: boolean;
  /** How many facts of each type, the most frequent first. */
  readonly types: Readonly<Record<string, number>>;
  readonly lanes: LaneCounts;
  readonly errors: number;
  /** Sessions that were forked from this one. */
  readonly forks: readonly (ForkPoint & { readonly title: string })[];
  readonly calls: number;
  readonly messages: number;
  readonly usage: Usage;
}

/** What a fact is about. Each type of fact is in one lane. */
export type Lane = "prompt" | "model" | "tool" | "hook" | "harness" | "session" | "task";
/** Facts per lane. */
export type LaneCounts = Readonly<Record<Lane, number>>;

/** `GET /api/sessions/:id/timeline?buckets=N` (1 to 2,000; default 200): never more buckets than facts. */
export interface TimelineAnswer {
  readonly version: number;
  readonly buckets: readonly TimelineBucket[];
  /** In version order. At most 5,000: of more, the rarest kinds first; `marksLeftOut` says how many are missing. */
  readonly marks: readonly TimelineMark[];
  readonly marksLeftOut: number;
}

/** Facts `from` to `to`, both included. */
export interface TimelineBucket {
  readonly from: number;
  readonly to: number;
  /** When its first fact was taken. */
  readonly at: number;
  readonly counts: LaneCounts;
  readonly errors: number;
}

/** What a mark on the timeline is about. */
export type MarkKind =
  | "prompt"
  | "turn"
  | "block"
  | "error"
  | "restart"
  | "compaction"
  | "abort"
  | "fork"
  | "end"
  | "checkpoint";

/** A fact that stands out. */
export interface TimelineMark {
  readonly version: number;
  readonly kind: MarkKind;
  readonly label: string;
}
