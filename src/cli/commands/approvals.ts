/** `lemon approvals` */
import { pendingApprovals } from "../../replay/index.ts";
import { describeCall } from "../calls.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { columns } from "../printable.ts";
import { readingLogIfAny } from "../reading.ts";

/** Lists the calls that wait for an answer, over all sessions. Without a log there are none. */
export async function approvals(context: Context): Promise<Status> {
  const { out } = context;
  const waiting = await readingLogIfAny(context, (log) => pendingApprovals(log));
  if (waiting === null) out.warn(`there is no log at ${context.log} yet`);
  if (out.json) {
    out.document(waiting ?? []);
    return statuses.done;
  }
  const rows = (waiting ?? []).map(({ id, sessionId, tool, args }) => [
    id,
    sessionId,
    describeCall(tool, args),
  ]);
  for (const row of columns(rows)) out.line(row);
  return statuses.done;
}
