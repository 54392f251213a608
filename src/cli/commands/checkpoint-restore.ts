/** `lemon checkpoint restore ID [PATH…]`: brings files back, once the plan was agreed to. */
import { checkpointReader, type RestorePoint, type RestoreResult } from "../../harness/index.ts";
import { canAsk } from "../approver.ts";
import { statuses, type Status } from "../errors.ts";
import type { CheckpointRestoreFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { withRuntime } from "../leading.ts";
import { readingLog } from "../reading.ts";

/** Restores files; exit status 1 when one of them is not as it should be. */
export async function restoreCheckpoint(
  context: Context,
  id: string,
  paths: readonly string[],
  { at, force = false, dryRun = false, yes = false }: CheckpointRestoreFlags,
): Promise<Status> {
  const { out, cwd, interrupts } = context;
  const point: RestorePoint = at === undefined ? id : { sessionId: id, at };
  const options = { force, ...(paths.length === 0 ? {} : { paths }) };
  const planned = await readingLog(context, (log) =>
    checkpointReader(log, cwd).previewFilesystem(point, options),
  );
  if (dryRun) return tell(context, planned, "would be restored");
  if (!yes && canAsk() && planned.restored.length > 0) {
    tell(context, planned, "will be restored");
    const { confirm } = await import("@clack/prompts");
    out.clearProgress();
    const answer = await confirm({
      message: `Restore ${planned.restored.length} of ${planned.results.length} files?`,
      initialValue: false,
      output: process.stderr,
      signal: interrupts.signal,
    });
    if (answer !== true) return interrupts.happened ? interrupts.status : statuses.failed;
  }
  const result = await withRuntime(context, (runtime) =>
    runtime.checkpoints.restoreFilesystem(point, { ...options, signal: interrupts.soften() }),
  );
  return tell(context, result, "restored");
}

function tell({ out }: Context, result: RestoreResult, done: string): Status {
  const isWell = result.conflicts.length === 0 && result.failed.length === 0;
  if (out.json) out.document(result);
  else {
    for (const { path, outcome, code } of result.results) {
      const word = outcome === "restored" ? done : outcome;
      const colour = outcome === "restored" ? "green" : outcome === "unchanged" ? "dim" : "red";
      out.line(`${out.paint(colour, code === null ? word : `${word} (${code})`)}  ${path}`);
    }
    if (result.status === "nothing_to_do") out.note("nothing to do");
    if (result.preRestoreCheckpointId !== null)
      out.note(`to undo it: lemon checkpoint restore ${result.preRestoreCheckpointId}`);
    if (result.conflicts.length > 0)
      out.note("what somebody else changed was left alone; --force restores it all the same");
  }
  return isWell ? statuses.done : statuses.failed;
}
