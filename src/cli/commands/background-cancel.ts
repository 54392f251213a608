/** `lemon background cancel ID [REASON]` */
import { isRunId, readRun, RunNotFoundError } from "../../harness/index.ts";
import { isFinalRun } from "../../projections/index.ts";
import type { CancelledRun } from "../../runtime/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLogIfAny } from "../reading.ts";

/** Ends a run. One that had ended is let be, which is no error. */
export async function cancelRun(context: Context, id: string, reason: string | undefined): Promise<Status> {
  const { out } = context;
  const view = isRunId(id) ? await readingLogIfAny(context, (log) => readRun(log, id)) : null;
  if (view === null || view.queued === null) throw new RunNotFoundError();
  const ended: CancelledRun = isFinalRun(view)
    ? { id, cancelled: false, status: view.status }
    : await end(context, id, reason);
  if (out.json) out.document(ended);
  else if (ended.cancelled) out.line(`cancelled ${id}`);
  else out.line(`${id} had ended: ${ended.status}`);
  return statuses.done;
}

async function end(context: Context, id: string, reason: string | undefined): Promise<CancelledRun> {
  const { withRuntime } = await import("../leading.ts");
  return withRuntime(context, ({ background }) => background.cancel(id, reason));
}
