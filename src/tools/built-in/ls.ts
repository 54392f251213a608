import type { Dirent } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { byCodePoint } from "../../events/index.ts";
import { FileError, printable } from "../../workspace/index.ts";
import { textResult } from "../result.ts";
import type { BuiltInTool, ToolResult } from "../tool.ts";
import { fileNamed, type NamedFile, withFileErrors } from "./file-access.ts";

const maxEntries = 1_000;

/** Lists a directory. Its promises stand in docs/reference/tools.md, "ls". */
export const lsTool: BuiltInTool = {
  name: "ls",
  label: "List",
  description: `Lists the entries of a directory, sorted by name, dot-files and ignored ones too: directories end in /, links show where they point. At most ${maxEntries}.`,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "Directory; default: the working directory" },
    },
  },
  otherSpellings: { directory: "path", dir: "path", directory_path: "path" },
  parallelSafe: true,
  idempotent: true,
  readOnly: true,
  timeoutMs: 60_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    signal.throwIfAborted();
    const directory = fileNamed((args as { readonly path?: string }).path ?? ".", context);
    return withFileErrors(directory, () => list(directory));
  },
};

async function list({ path, shown }: NamedFile): Promise<ToolResult> {
  if (!(await stat(path)).isDirectory())
    throw new FileError(`${shown} is not a directory: use read to see a file`);
  const entries = (await readdir(path, { withFileTypes: true })).toSorted((a, b) =>
    byCodePoint(a.name, b.name),
  );
  const lines = await Promise.all(entries.slice(0, maxEntries).map((entry) => lineOf(path, entry)));
  const truncated = entries.length > maxEntries;
  const notice = truncated
    ? `\n\n[${maxEntries} of ${entries.length} entries. Use find with a pattern for the others.]`
    : "";
  return textResult(lines.length === 0 ? `${shown} is empty` : lines.join("\n") + notice, {
    path: shown,
    entries: entries.length,
    truncated,
  });
}

async function lineOf(directory: string, entry: Dirent): Promise<string> {
  const name = printable(entry.name);
  if (entry.isDirectory()) return `${name}/`;
  return entry.isSymbolicLink()
    ? `${name} -> ${printable(await readlink(join(directory, entry.name)))}`
    : name;
}
