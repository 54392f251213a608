import { readFile, stat } from "node:fs/promises";
import { FileError, replaceableAt, splice, targetOf } from "../../workspace/index.ts";
import { textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, ToolResult } from "../tool.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { absenceHint } from "./edit-hints.ts";
import { fileNamed, type NamedFile, pathSpellings, tidyFile, withFileErrors } from "./file-access.ts";

const maxFileBytes = 50 * 1024 * 1024;

interface EditArguments {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

/** Replaces a text in a file. Its promises stand in docs/reference/tools.md, "edit". */
export const editTool: BuiltInTool = {
  name: "edit",
  label: "Edit",
  description:
    "Replaces oldText by newText in a file. oldText must be exactly what the file holds, blanks and indentation included, " +
    "and must occur once; add lines around it until it does, or set replaceAll. Line ends and all other bytes of the file stay as they are.",
  parameters: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "File: absolute, ~/…, or relative to the working directory",
      },
      oldText: { type: "string", description: "Text to replace, as read shows it" },
      newText: { type: "string", description: "What to put there; empty to remove it" },
      replaceAll: { type: "boolean", description: "Replace every occurrence; default false" },
    },
    required: ["path", "oldText", "newText"],
  },
  otherSpellings: {
    ...pathSpellings,
    old_text: "oldText",
    old_string: "oldText",
    oldString: "oldText",
    old_str: "oldText",
    new_text: "newText",
    new_string: "newText",
    newString: "newText",
    new_str: "newText",
    replace_all: "replaceAll",
  },
  parallelSafe: false,
  idempotent: false,
  readOnly: false,
  timeoutMs: 60_000,
  tidy: tidyFile,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    const request = args as unknown as EditArguments;
    const file = fileNamed(request.path, context);
    return withFileErrors(file, async () => {
      const target = await targetOf(file.path);
      // Two edits of one file that overlap would each write what it read, and the first change would be lost.
      return context.files.inOrder([target], () => edit(file, target, request, { context, signal }));
    });
  },
};

interface Call {
  readonly context: BuiltInContext;
  readonly signal: AbortSignal;
}

async function edit(
  file: NamedFile,
  target: string,
  request: EditArguments,
  { context: { files }, signal }: Call,
): Promise<ToolResult> {
  const { shown } = file;
  const found = await stat(target);
  if (!found.isFile())
    throw new FileError(`${shown} is ${found.isDirectory() ? "a directory" : "not a regular file"}`);
  if (found.size > maxFileBytes)
    throw new FileError(`${shown} has ${found.size} bytes, more than edit takes (${maxFileBytes}): use bash`);
  const before = await readFile(target, { signal });
  const { oldText, newText, replaceAll = false } = request;
  const outcome = splice(before, { oldText, newText, replaceAll });
  if (!outcome.ok) throw new FileError(refusal(shown, before, oldText, outcome));
  await replaceableAt(target);
  signal.throwIfAborted();
  await files.guard([{ path: target, bytes: before }]);
  await files.replace(target, outcome.bytes);
  const { matches, firstChangedLine } = outcome;
  // The file is changed by now: to fail over the picture of the change would be a lie.
  const diff = await unifiedDiff(shown, before.toString(), outcome.bytes.toString()).catch(() => undefined);
  return textResult(
    `Edited ${shown}: ${matches === 1 ? "1 replacement" : `${matches} replacements`}, first at line ${firstChangedLine}`,
    {
      path: shown,
      replacements: matches,
      firstChangedLine,
      ...(diff === undefined ? {} : { diff }),
    },
  );
}

interface Refusal {
  readonly reason: "empty" | "identical" | "absent" | "ambiguous";
  readonly matches: number;
}

function refusal(shown: string, before: Buffer, oldText: string, { reason, matches }: Refusal): string {
  switch (reason) {
    case "empty":
      return "oldText is empty: give the text to replace, or use write for the whole file";
    case "identical":
      return "oldText and newText are the same: there is nothing to change";
    case "absent":
      return `oldText does not occur in ${shown} (0 matches).${absenceHint(before, oldText)}`;
    case "ambiguous":
      return `oldText occurs ${matches} times in ${shown}: add lines around it until it occurs once, or set replaceAll to change all of them`;
  }
}
