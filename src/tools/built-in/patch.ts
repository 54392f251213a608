import { messageOf } from "../../errors.ts";
import { removeSibling } from "../../workspace/index.ts";
import { parsePatchText } from "../patch-format.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, PlaceContext, ToolResult } from "../tool.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { type PlannedChange, PatchPlan } from "./patch-plan.ts";
import { commitChanges, requireWritable } from "./patch-commit.ts";

interface PatchArguments {
  readonly patch: string;
}

/** Changes several files at once. Its promises stand in docs/reference/tools.md, "patch". */
export const patchTool: BuiltInTool = {
  name: "patch",
  label: "Patch",
  description:
    "Changes, creates, moves and deletes files by a patch; a patch that does not fit changes nothing. Takes a unified diff (--- a/x, +++ b/x, @@ -1,3 +1,4 @@) " +
    'or the form "*** Begin Patch" … "*** End Patch" with "*** Add File: x", "*** Update File: x", "*** Move to: y", "*** Delete File: x". ' +
    "Context lines must be exactly those of the file.",
  parameters: {
    type: "object",
    properties: {
      patch: {
        type: "string",
        minLength: 1,
        description: "The patch; its paths are relative to the working directory",
      },
    },
    required: ["patch"],
  },
  otherSpellings: { input: "patch", patchText: "patch", patch_text: "patch", diff: "patch" },
  parallelSafe: false,
  idempotent: false,
  readOnly: false,
  timeoutMs: 120_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    return patch((args as unknown as PatchArguments).patch, signal, context);
  },
  async tidy(toolCallId, args, context) {
    const { targets } = await read((args as unknown as PatchArguments).patch, context);
    for (const target of targets) await removeSibling(target, toolCallId);
  },
};

/** The parts of a patch, and every file that they touch. */
async function read(text: string, context: PlaceContext) {
  const files = await parsePatchText(text);
  const plan = new PatchPlan(context);
  return { files, plan, targets: await plan.targetsOf(files) };
}

async function patch(text: string, signal: AbortSignal, context: BuiltInContext): Promise<ToolResult> {
  const { files, plan, targets } = await read(text, context);
  return context.files.inOrder(targets, async () => {
    // Everything is computed before anything is written: a hunk that fails must not leave half a patch.
    for (const file of files) await plan.add(file);
    const changes = plan.changes();
    await requireWritable(changes);
    signal.throwIfAborted();
    await context.files.guard(plan.found());
    const done: PlannedChange[] = [];
    try {
      await commitChanges(changes, context.files, (change) => done.push(change));
    } catch (error) {
      // As long as nothing is changed it is a failure like any other.
      if (context.files.noted().files.length === 0) throw error;
      return partial(error, changes, done);
    }
    const text = `Patched ${changes.length} ${changes.length === 1 ? "file" : "files"}:\n${listOf(changes)}`;
    return textResult(text, await detailsOf(changes));
  });
}

/** It stopped midway. The model is told what is changed and what is not, so that it can go on from there. */
async function partial(
  error: unknown,
  changes: readonly PlannedChange[],
  done: readonly PlannedChange[],
): Promise<ToolResult> {
  const open = changes.filter((change) => !done.includes(change));
  const applied = done.length === 0 ? "" : `Done and kept:\n${listOf(done)}\n`;
  return errorResult(
    `The patch stopped in the middle: ${messageOf(error)}\n${applied}Not done, or not wholly:\n${listOf(open)}`,
    { ...(await detailsOf(done)), notDone: open.map(({ shown }) => shown) },
  );
}

function listOf(changes: readonly PlannedChange[]): string {
  return changes
    .map(({ letter, shown, from }) => `${letter} ${from === null ? shown : `${from} -> ${shown}`}`)
    .join("\n");
}

async function detailsOf(changes: readonly PlannedChange[]): Promise<Record<string, unknown>> {
  const diffs = await Promise.all(changes.map(diffOf));
  return {
    files: changes.map(({ action, shown, from, additions, removals }) => ({
      path: shown,
      action,
      additions,
      removals,
      ...(from === null ? {} : { from }),
    })),
    diff: diffs.filter((diff) => diff !== undefined).join(""),
  };
}

function diffOf({ shown, before, after }: PlannedChange): Promise<string | undefined> {
  return unifiedDiff(shown, before?.toString() ?? "", after?.toString() ?? "").catch((error: unknown) => {
    // The files are changed by now: to fail over the picture of the change would be a lie.
    return `(no diff of ${shown}: ${messageOf(error)})\n`;
  });
}
