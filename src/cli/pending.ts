/** Calls that wait for an answer, found by folding the sessions in which a run is open. */
import type { EventLog } from "../log/index.ts";
import {
  approvalsIn,
  project,
  sessionView,
  type PendingApproval,
  type SessionView,
} from "../projections/index.ts";
import { listSessions } from "../replay/index.ts";
import { canAsk } from "./approver.ts";
import { ApprovalPendingError } from "./errors.ts";
import type { Context } from "./globals.ts";
import { readingLog } from "./reading.ts";

/** All of them, those of the newest session first. */
export async function pendingApprovals(log: EventLog): Promise<PendingApproval[]> {
  const found: PendingApproval[] = [];
  for (const { sessionId, status } of await listSessions(log)) {
    if (status === "running") found.push(...approvalsIn(await viewOfSession(log, sessionId)));
  }
  return found;
}

/**
 * Refuses to go on with a session that waits for an answer when nobody can be asked and no flag answers. Nothing is
 * changed then: the calls go on waiting.
 *
 * @throws ApprovalPendingError
 */
export async function assertAnswerable(context: Context, sessionId: string, approve?: string): Promise<void> {
  if (approve === "auto" || approve === "deny" || canAsk()) return;
  const view = await readingLog(context, (log) => viewOfSession(log, sessionId));
  const waiting = approvalsIn(view);
  if (waiting.length > 0)
    throw new ApprovalPendingError(
      sessionId,
      waiting.map(({ id }) => id),
    );
}

async function viewOfSession(log: EventLog, sessionId: string): Promise<SessionView> {
  let view = sessionView.initial;
  for await (const fact of log.read(`session-${sessionId}`)) view = project(sessionView, view, fact);
  return view;
}
