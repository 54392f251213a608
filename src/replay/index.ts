/** Time: what a session was, and whether its log still gives the same decisions. */
import type { EventLog } from "../log/index.ts";
import type { ReplayReport } from "./verify.ts";

export type { ReplayReport } from "./verify.ts";
export {
  findSession,
  listSessions,
  requireSession,
  SessionNotFoundError,
  type SessionSummary,
} from "./session-list.ts";
export { InvalidVersionError, stateAt, type StateAt } from "./state-at.ts";

/** Replays a session. Loads the machines when it is called: those who only look at states do without them. */
export async function verifyReplay(log: EventLog, sessionId: string): Promise<ReplayReport> {
  const verify = await import("./verify.ts");
  return verify.verifyReplay(log, sessionId);
}
