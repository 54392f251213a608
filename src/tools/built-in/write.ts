import { readFile } from "node:fs/promises";
import { FileError, replaceableAt, targetOf } from "../../workspace/index.ts";
import { textResult } from "../result.ts";
import type { BuiltInTool } from "../tool.ts";
import { fileNamed, pathSpellings, tidyFile, withFileErrors } from "./file-access.ts";

interface WriteArguments {
  readonly path: string;
  readonly content: string;
}

/** Creates or overwrites a file. Its promises stand in docs/reference/tools.md, "write". */
export const writeTool: BuiltInTool = {
  name: "write",
  label: "Write",
  description:
    "Writes a whole file: creates it, with the directories above it, or replaces what is in it. To change a part of a file use edit.",
  parameters: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "File: absolute, ~/…, or relative to the working directory",
      },
      content: { type: "string", description: "The complete text, written exactly as given" },
    },
    required: ["path", "content"],
  },
  otherSpellings: { ...pathSpellings, text: "content", contents: "content" },
  parallelSafe: false,
  idempotent: false,
  readOnly: false,
  timeoutMs: 60_000,
  tidy: tidyFile,
  async execute(_toolCallId, args, _signal, _onUpdate, context) {
    const { path, content } = args as unknown as WriteArguments;
    const file = fileNamed(path, context);
    if (path.endsWith("/")) throw new FileError(`${path} names a directory, not a file`);
    const bytes = Buffer.from(content);
    return withFileErrors(file, async () => {
      const target = await targetOf(file.path);
      return context.files.inOrder([target], async () => {
        const about = { path: file.shown, bytesWritten: bytes.length };
        if (await holds(target, bytes)) {
          context.files.leave(target);
          return textResult(`${file.shown} holds exactly this already: nothing was written`, {
            ...about,
            bytesWritten: 0,
            created: false,
          });
        }
        await context.files.guard([{ path: target }]);
        const { created } = await context.files.replace(target, bytes);
        const text = `${created ? "Created" : "Overwrote"} ${file.shown} (${bytes.length} bytes)`;
        return textResult(text, { ...about, created });
      });
    });
  },
};

/** Whether the file is what is to be written already. @throws FileError for what can't be replaced */
async function holds(target: string, bytes: Buffer): Promise<boolean> {
  const existing = await replaceableAt(target);
  return existing !== undefined && existing.size === bytes.length && (await readFile(target)).equals(bytes);
}
