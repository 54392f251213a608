/** `lemon fork ID --at N [--into DIR]` */
import path from "node:path";
import { requireSession } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { ForkFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { withRuntime } from "../leading.ts";
import { oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** Makes a fork. Nobody leads it: a run that is open in it goes on at `lemon resume`. */
export async function fork(context: Context, id: string, { at, into }: ForkFlags): Promise<Status> {
  const { out } = context;
  // Without it no log is made.
  const parent = await readingLog(context, (log) => requireSession(log, id));
  const options = { at, ...(into === undefined ? {} : { cwd: path.resolve(into) }) };
  const { told, ...made } = await withRuntime(context, ({ sessions }) => sessions.recordFork(id, options));
  const { status } = await readingLog(context, (log) => requireSession(log, made.sessionId));
  if (out.json) {
    out.document({ ...made, from: parent.sessionId, at, status, ...told });
    return statuses.done;
  }
  out.line(made.sessionId);
  const { filesUnavailable = [], coverage, coverageReasons = [] } = told;
  if (coverage !== undefined) {
    const why = coverageReasons.length === 0 ? "" : ` (${coverageReasons.join(", ")})`;
    out.note(`files: ${made.cwd}, coverage ${coverage}${why}`);
  }
  for (const file of filesUnavailable)
    out.warn(
      `${oneLine(file, 200)}: its content at version ${at} is not known, so it may not be there as it was`,
    );
  if (status === "running") out.note(`a run is open in it: lemon resume ${made.sessionId} goes on with it`);
  return statuses.done;
}
