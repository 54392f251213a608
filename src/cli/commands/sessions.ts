/** `lemon sessions` */
import { listSessions } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { columns, timeOf } from "../printable.ts";
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
  const rows = (found ?? []).map(({ sessionId, status, version, updatedAt, model, cwd }) => [
    sessionId,
    status,
    String(version),
    timeOf(updatedAt),
    model,
    cwd,
  ]);
  for (const row of columns(rows)) out.line(row);
  return statuses.done;
}
