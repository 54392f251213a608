import { messageOf } from "../../errors.ts";
import { inFileOrder, removeSibling } from "../../workspace/index.ts";
import { parsePatchText } from "../patch-format.ts";
import { textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, PlaceContext, ToolResult } from "../tool.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { fileNamed } from "./file-access.ts";
import { type PlannedChange, PatchPlan } from "./patch-plan.ts";
import { commitChanges } from "./patch-commit.ts";

interface PatchArguments {
  readonly patch: string;
}

/** Changes several files, all or none. Its promises stand in docs/reference/tools.md, "patch". */
export const patchTool: BuiltInTool = {
  name: "patch",
  label: "Patch",
  description:
    "Changes, creates, moves and deletes files by a patch: all of it or nothing. Takes a unified diff (--- a/x, +++ b/x, @@ -1,3 +1,4 @@) " +
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
  async execute(toolCallId, args, signal, _onUpdate, context) {
    return patch((args as unknown as PatchArguments).patch, { toolCallId, signal, context });
  },
  async tidy(toolCallId, args, context) {
    const { targets } = await read((args as unknown as PatchArguments).patch, context);
    for (const target of targets) await removeSibling(target, toolCallId);
  },
};

interface Call {
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  readonly context: BuiltInContext;
}

/** The parts of a patch, and every file that they touch. */
async function read(text: string, context: PlaceContext) {
  const files = await parsePatchText(text);
  const plan = new PatchPlan((name) => fileNamed(name, context));
  return { files, plan, targets: await plan.targetsOf(files) };
}

async function patch(text: string, { toolCallId, signal, context }: Call): Promise<ToolResult> {
  const { files, plan, targets } = await read(text, context);
  const changes = await inFileOrder(targets, async () => {
    // Everything is computed before anything is written: a hunk that fails must not leave half a patch.
    for (const file of files) await plan.add(file);
    signal.throwIfAborted();
    await commitChanges(plan.changes(), toolCallId);
    return plan.changes();
  });
  const summary = changes.map(
    ({ letter, shown, from }) => `${letter} ${from === null ? shown : `${from} -> ${shown}`}`,
  );
  const diffs = await Promise.all(changes.map(diffOf));
  return textResult(
    `Patched ${changes.length} ${changes.length === 1 ? "file" : "files"}:\n${summary.join("\n")}`,
    {
      files: changes.map(({ action, shown, from, additions, removals }) => ({
        path: shown,
        action,
        additions,
        removals,
        ...(from === null ? {} : { from }),
      })),
      diff: diffs.filter((diff) => diff !== undefined).join(""),
    },
  );
}

function diffOf({ shown, before, after }: PlannedChange): Promise<string | undefined> {
  return unifiedDiff(shown, before?.toString() ?? "", after?.toString() ?? "").catch((error: unknown) => {
    // The files are changed by now: to fail over the picture of the change would be a lie.
    return `(no diff of ${shown}: ${messageOf(error)})\n`;
  });
}
