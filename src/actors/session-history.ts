/** A session as the log has it, for who only reads it: it may be led by anybody, or by nobody. */
import { sessionStreamName } from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import { loadStream } from "./load.ts";
import { sessionViews, type SessionViews } from "./session-views.ts";
import { sessionActors } from "./session/actors.ts";

/** Its views, and the version at which they stand. Stored views are used where they are of this build. */
export async function readSessionViews(
  log: EventLog,
  sessionId: string,
): Promise<{ readonly views: SessionViews; readonly version: number }> {
  const { views, version } = await loadStream(
    log,
    sessionStreamName(sessionId),
    sessionActors(sessionId),
    sessionViews,
  );
  return { views, version };
}
