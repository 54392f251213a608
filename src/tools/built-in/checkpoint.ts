import { LemonError } from "../../errors.ts";
import { CheckpointError, type RestoreResult } from "../../harness/index.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, ToolResult } from "../tool.ts";

/** Summaries that a list shows. */
const MAX_LISTED = 50;

/** Looks at the checkpoints of the session and restores from them. docs/reference/checkpoints.md, "The tool" */
export const checkpointTool: BuiltInTool = {
  name: "checkpoint",
  label: "Checkpoints",
  description:
    "Looks at the checkpoints of this session and brings files back from one. list: the newest first. diff: what changed since. restore: brings files back; what others changed is left alone. delete: one checkpoint.",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["list", "diff", "restore", "delete"] },
      checkpointId: { type: "string", description: "For diff, restore and delete: chk_…" },
      paths: {
        type: "array",
        items: { type: "string" },
        description: "For diff and restore: only these files, relative to the working directory",
      },
      force: { type: "boolean", description: "For restore: also over what others changed since" },
    },
    required: ["action"],
  },
  otherSpellings: { checkpoint_id: "checkpointId", id: "checkpointId" },
  judgesArguments: true,
  parallelSafe: false,
  idempotent: false,
  readOnly: false,
  timeoutMs: 120_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    try {
      signal.throwIfAborted();
      return await act(args, signal, context);
    } catch (error) {
      if (!(error instanceof LemonError)) throw error;
      return errorResult(error.message, { errorType: error.reason });
    }
  },
};

async function act(
  { action, checkpointId, paths, force }: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  { checkpoints }: BuiltInContext,
): Promise<ToolResult> {
  switch (action) {
    case "list": {
      const listed = (await checkpoints.list()).slice(0, MAX_LISTED);
      return textResult(JSON.stringify(listed, null, 2), { checkpoints: listed });
    }
    case "diff": {
      const diff = await checkpoints.diff(idOf(checkpointId), selection(paths));
      return textResult(diff.output, { ...diff });
    }
    case "restore": {
      const options = { paths: selection(paths), force: force === true, signal };
      return told(await checkpoints.restore(idOf(checkpointId), options));
    }
    case "delete": {
      const id = idOf(checkpointId);
      await checkpoints.delete(id);
      return textResult(`Deleted ${id}`, { deleted: id });
    }
    default: {
      const expected = "list, diff, restore or delete";
      throw new CheckpointError("invalid_action", `action: expected ${expected}`, {
        field: "/action",
        expected,
      });
    }
  }
}

function idOf(id: unknown): string {
  if (typeof id === "string" && id.trim() !== "") return id;
  throw new CheckpointError("missing_checkpoint_id", "checkpointId: expected the id of a checkpoint", {
    field: "/checkpointId",
  });
}

/** What is no list is refused where lists are checked. */
function selection(paths: unknown): readonly string[] | undefined {
  return paths === undefined || paths === null ? undefined : (paths as readonly string[]);
}

/** A restore that left something as it is, is an error that the model can act on. */
function told(result: RestoreResult): ToolResult {
  const lines = result.results.map(
    ({ path, outcome, code }) => `${outcome}${code === null ? "" : ` (${code})`} ${path}`,
  );
  const undo =
    result.preRestoreCheckpointId === null ? [] : [`To undo it, restore ${result.preRestoreCheckpointId}`];
  const text = [`Restore: ${result.status}`, ...lines, ...undo].join("\n");
  const isError = result.conflicts.length > 0 || result.failed.length > 0;
  return { ...textResult(text, { ...result }), isError };
}
