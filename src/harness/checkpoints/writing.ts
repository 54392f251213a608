/** How checkpoints write into a session, whoever asks: a caller, or a call of the session itself. */
import type { FactData } from "../../events/index.ts";

type CheckpointFactType =
  | "checkpoint.created"
  | "checkpoint.deleted"
  | "checkpoint.restore_started"
  | "checkpoint.restored"
  | "checkpoint.resumed"
  | "todos.written";

/** A fact to be written. */
export type CheckpointFact = {
  [T in CheckpointFactType]: { readonly type: T; readonly data: FactData<T> };
}[CheckpointFactType];

/** Records facts of one session; each resolves when it is durable. */
export interface Recorder {
  readonly write: (fact: CheckpointFact) => Promise<unknown>;
  /** The call that writes; `null` for a caller. */
  readonly callId: string | null;
}

/** The door to the sessions of a runtime. */
export interface SessionFacts {
  /** Whether this process leads a session. */
  isOpen(sessionId: string): boolean;
  /**
   * Changes a session by one fact, or by none. @param decide - is given the last version that counts
   *
   * @throws SessionBusyError when another process leads the session; LemonError `LEMON_CONFLICT`
   */
  update(sessionId: string, decide: (to: number) => Promise<CheckpointFact | null>): Promise<unknown>;
  /** Leads a session for the time of some work. @throws SessionBusyError */
  lead<Result>(sessionId: string, work: (write: Recorder["write"]) => Promise<Result>): Promise<Result>;
}
