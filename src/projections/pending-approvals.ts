/** The calls of a session that wait for a person. */
import { pendingCalls, type SessionView } from "./session-view.ts";

/** A call that waits for a person. */
export interface PendingApproval {
  /** The id of the call, and of the request. */
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string | null;
  readonly toolCallId: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  /** What the model wrote with the call; `null` when it wrote nothing. */
  readonly rationale: string | null;
  readonly expiresAt: null;
}

/** In call order; the arguments are those after hooks, secrets hidden. */
export function approvalsIn(session: SessionView): PendingApproval[] {
  return pendingCalls(session)
    .filter(({ state }) => state === "asking")
    .map(({ callId, name, args }) => ({
      id: callId,
      sessionId: session.sessionId,
      runId: session.run?.runId ?? null,
      toolCallId: callId,
      tool: name,
      args,
      rationale: session.lastText === "" ? null : session.lastText,
      expiresAt: null,
    }));
}
