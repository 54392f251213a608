/** Calls that wait for an answer, found by folding the sessions in which a run is open. */
import { historyOf, type EventLog } from "../log/index.ts";
import { approvalsIn, project, sessionView, type PendingApproval } from "../projections/index.ts";
import { listSessions, requireSession } from "./session-list.ts";

/**
 * Those of all sessions, the newest session first, or those of one.
 *
 * @throws SessionNotFoundError for a session that is not there
 */
export async function pendingApprovals(log: EventLog, sessionId?: string): Promise<PendingApproval[]> {
  const sessions = sessionId === undefined ? await listSessions(log) : [await requireSession(log, sessionId)];
  const found: PendingApproval[] = [];
  for (const { sessionId: id, status } of sessions) {
    if (status !== "running") continue;
    let view = sessionView.initial;
    for await (const fact of historyOf(log, `session-${id}`)) view = project(sessionView, view, fact);
    found.push(...approvalsIn(view));
  }
  return found;
}
