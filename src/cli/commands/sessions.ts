/** `lemon sessions` */
import { listSessions, type SessionSummary } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { columns, timeOf, UNAVAILABLE } from "../printable.ts";
import { readingLogIfAny } from "../reading.ts";

/** Lists the sessions, the one with the newest fact first. Without a log there are none. */
export async function sessions(context: Context): Promise<Status> {
  const { out } = context;
  const found = await readingLogIfAny(context, listSessions);
  if (found === null) out.warn(`there is no log at ${context.log} yet`);
  if (out.json) {
    out.document(found ?? []);
    return statuses.done;
  }
  const rows = (found ?? []).map(({ sessionId, status, version, updatedAt, model, cwd, ...lineage }) => [
    sessionId,
    status,
    String(version),
    timeOf(updatedAt),
    model ?? UNAVAILABLE,
    cwd ?? UNAVAILABLE,
    workOf(lineage),
  ]);
  for (const row of columns(rows)) out.line(row);
  return statuses.done;
}

type Lineage = Pick<SessionSummary, "origin" | "parentSessionId" | "forkedFrom">;

/** For whom it works, or what it goes on from; nothing for a session of its own. */
function workOf({ origin, parentSessionId, forkedFrom }: Lineage): string {
  if (forkedFrom !== null) return `fork of ${forkedFrom.sessionId} at ${forkedFrom.at}`;
  if (origin === "session") return "";
  return parentSessionId === null ? origin : `${origin} of ${parentSessionId}`;
}
