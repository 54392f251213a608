/** `lemon checkpoint restore ID [PATH…]`: brings files back, once the plan was agreed to. */
import {
  checkpointReader,
  type FileDiff,
  type RestorePoint,
  type RestoreResult,
} from "../../harness/index.ts";
import { canAsk } from "../approver.ts";
import { statuses, type Status } from "../errors.ts";
import type { CheckpointRestoreFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { withRuntime } from "../leading.ts";
import { namePrintable } from "../printable.ts";
import { readingLog } from "../reading.ts";
import { assertPoint } from "./checkpoint-point.ts";

/** What is done to a file, by its path. */
type Actions = ReadonlyMap<string, FileDiff["action"]>;

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
  const { planned, actions } = await readingLog(context, async (log) => {
    await assertPoint(log, point);
    const reader = checkpointReader(log, cwd);
    const preview = await reader.previewFilesystem(point, options);
    // Only people are told what is done to each file.
    const { diffs } =
      out.json || preview.restored.length === 0 ? { diffs: [] } : await reader.diffFilesystem(point, options);
    return { planned: preview, actions: new Map(diffs.map(({ path, action }) => [path, action])) };
  });
  if (dryRun) return tell(context, planned, "would ", actions);
  if (!yes && canAsk() && planned.restored.length > 0) {
    tell(context, planned, "will ", actions);
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
  return tell(context, result, "", actions);
}

function tell(
  { out }: Context,
  result: RestoreResult,
  tense: "would " | "will " | "",
  actions: Actions,
): Status {
  const isWell = result.conflicts.length === 0 && result.failed.length === 0;
  if (out.json) out.document(result);
  else {
    for (const { path, outcome, code } of result.results) {
      const word = outcome === "restored" ? actionWord(tense, actions.get(path)) : outcome;
      const colour = outcome === "restored" ? "green" : outcome === "unchanged" ? "dim" : "red";
      out.line(`${out.paint(colour, code === null ? word : `${word} (${code})`)}  ${namePrintable(path)}`);
    }
    if (result.status === "nothing_to_do") out.note("nothing to do");
    if (result.preRestoreCheckpointId !== null && result.restored.length > 0)
      out.note(`to undo it: lemon checkpoint restore ${result.preRestoreCheckpointId}`);
    if (result.conflicts.length > 0)
      out.note("what somebody else changed was left alone; --force restores it all the same");
  }
  return isWell ? statuses.done : statuses.failed;
}

/** A file that was changed since the plan was made was brought back all the same: how is not known then. */
function actionWord(tense: "would " | "will " | "", action: FileDiff["action"] | undefined): string {
  if (tense !== "") return `${tense}${action ?? "restore"}`;
  return action === undefined ? "restored" : done[action];
}

const done: Readonly<Record<FileDiff["action"], string>> = {
  overwrite: "overwritten",
  recreate: "recreated",
  remove: "removed",
  chmod: "chmod",
};
