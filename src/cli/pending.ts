/** Calls that wait for an answer, for commands that can't go on without one. */
import { pendingApprovals } from "../replay/index.ts";
import { canAsk } from "./approver.ts";
import { ApprovalPendingError } from "./errors.ts";
import type { Context } from "./globals.ts";
import { readingLog } from "./reading.ts";

/**
 * Refuses to go on with a session that waits for an answer when nobody can be asked and no flag answers. Nothing is
 * changed then: the calls go on waiting.
 *
 * @throws ApprovalPendingError
 */
export async function assertAnswerable(context: Context, sessionId: string, approve?: string): Promise<void> {
  if (approve === "auto" || approve === "deny" || canAsk()) return;
  const waiting = await readingLog(context, (log) => pendingApprovals(log, sessionId));
  if (waiting.length > 0)
    throw new ApprovalPendingError(
      sessionId,
      waiting.map(({ id }) => id),
    );
}
