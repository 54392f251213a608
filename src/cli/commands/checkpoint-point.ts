/** What the commands of checkpoints are asked about, checked before anything is done. */
import { NotFoundError } from "../../errors.ts";
import { idOfKey, lastVersionOf, sessionStreamName, type RestorePoint } from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import { SessionNotFoundError } from "../../replay/index.ts";

/** @throws SessionNotFoundError when the session has no fact, or can't have any since that is no session id */
export async function assertSession(log: EventLog, session: string): Promise<void> {
  const sessionId = idOfKey(session);
  if (!(await hasFacts(log, sessionId))) throw new SessionNotFoundError(sessionId);
}

/** @throws SessionNotFoundError, and NotFoundError when a session is named and no version of it */
export async function assertPoint(log: EventLog, point: RestorePoint): Promise<void> {
  if (typeof point !== "string") return assertSession(log, point.sessionId);
  if (point.startsWith("chk_") || !(await hasFacts(log, idOfKey(point)))) return;
  throw new NotFoundError(
    `there is no checkpoint ${point}, but a session: give --at VERSION to bring its files back as they were then, ` +
      `or one of \`lemon checkpoint list ${point}\``,
    { field: "checkpointId" },
  );
}

async function hasFacts(log: EventLog, sessionId: string): Promise<boolean> {
  return sessionId !== "" && (await lastVersionOf(log, sessionStreamName(sessionId))) > 0;
}
