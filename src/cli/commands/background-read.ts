/** `lemon background list`, `status` and `result`. */
import { checkRunFilter, isRunId, RunNotFoundError } from "../../harness/index.ts";
import type { BackgroundRunFilter } from "../../runtime/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { BackgroundListFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { columns } from "../printable.ts";
import { readingRuns, type LookAtRuns } from "../reading-runs.ts";
import { runLines, runRow, showResult, statusOfResult } from "../run-lines.ts";

/** Lists the runs. Without a log there are none. */
export async function listRuns(context: Context, flags: BackgroundListFlags): Promise<Status> {
  const { out } = context;
  const filter = flags as BackgroundRunFilter;
  // Without a log there is no reader to refuse it.
  checkRunFilter(filter);
  const found = await readingRuns(context, (runs) => runs.list(filter));
  if (found === null) out.warn(`there is no log at ${context.log} yet`);
  const { runs, total } = found ?? { runs: [], total: 0 };
  if (out.json) {
    out.document({ runs, total });
    return statuses.done;
  }
  for (const row of columns(runs.map(runRow))) out.line(row);
  if (total > runs.length) out.note(`${total - runs.length} more: see --limit`);
  return statuses.done;
}

/** Tells how a run is. */
export async function runStatus(context: Context, id: string): Promise<Status> {
  const run = await required(context, id, (runs) => runs.status(id));
  if (context.out.json) context.out.document(run);
  else for (const line of runLines(run)) context.out.line(line);
  return statuses.done;
}

/** Prints what a run came to. */
export async function runResult(context: Context, id: string): Promise<Status> {
  const result = await required(context, id, (runs) => runs.result(id));
  if (!context.out.json) return showResult(context.out, result);
  context.out.document(result);
  return statusOfResult(result);
}

async function required<Result>(
  context: Context,
  id: string,
  look: (runs: LookAtRuns) => Promise<Result>,
): Promise<Result> {
  const found = isRunId(id) ? await readingRuns(context, look) : null;
  if (found === null) throw new RunNotFoundError();
  return found;
}
