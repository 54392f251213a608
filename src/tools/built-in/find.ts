import { globMatcher, runRipgrep } from "../../workspace/index.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, ToolResult } from "../tool.ts";
import { relativePath, searchBase } from "./search-base.ts";

const defaultLimit = 1_000;
const maxLimit = 10_000;

interface FindArguments {
  readonly pattern: string;
  readonly path?: string;
  readonly limit?: number;
}

/** Lists files by name. Its promises stand in docs/reference/tools.md, "find". */
export const findTool: BuiltInTool = {
  name: "find",
  label: "Find",
  description:
    "Lists files whose path matches a glob, sorted, relative to the working directory. A pattern without / is matched with the file name at any depth " +
    "(*.ts), one with / with the path below the start (src/**/*.ts). Files that .gitignore names and .git are left out; dot-files are not.",
  parameters: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        description: "Glob: * ? ** [a-z] {a,b}; with / at its end it finds directories that hold files",
      },
      path: {
        type: "string",
        minLength: 1,
        description: "Directory to start from; default: the working directory",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: maxLimit,
        description: `Most results; default ${defaultLimit}`,
      },
    },
    required: ["pattern"],
  },
  otherSpellings: { glob: "pattern", directory: "path", dir: "path", base: "path" },
  parallelSafe: true,
  idempotent: true,
  readOnly: true,
  timeoutMs: 60_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    return find(args as unknown as FindArguments, signal, context);
  },
};

async function find(
  request: FindArguments,
  signal: AbortSignal,
  context: BuiltInContext,
): Promise<ToolResult> {
  const { limit = defaultLimit } = request;
  const base = await searchBase(request.path, false, context);
  const wantsDirectories = request.pattern.endsWith("/") && request.pattern !== "/";
  const matches = await globMatcher(wantsDirectories ? request.pattern.slice(0, -1) : request.pattern);
  const found = new Set<string>();
  const end = await runRipgrep({
    args: ["--files", "--null", "--no-messages"],
    cwd: base.directory,
    path: base.path,
    separator: 0,
    signal,
    onRecord: (record) => {
      const path = relativePath(record);
      for (const candidate of wantsDirectories ? directoriesOf(path) : [path])
        if (matches(candidate)) found.add(candidate);
      return found.size <= limit;
    },
  });
  if (end.failed && end.message !== "") return errorResult(`find failed: ${end.message}`);
  const shown = [...found].slice(0, limit).map((path) => base.show(path) + (wantsDirectories ? "/" : ""));
  const truncated = found.size > limit;
  const notices = [
    ...(truncated ? [`Only the first ${limit} are shown: narrow the pattern, or raise limit.`] : []),
    ...(end.failed ? ["Some directories could not be read."] : []),
  ];
  const text = shown.length === 0 ? `No files match ${request.pattern} in ${base.shown}` : shown.join("\n");
  return textResult(text + (notices.length === 0 ? "" : `\n\n[${notices.join(" ")}]`), {
    matches: shown.length,
    truncated,
  });
}

/** `a/b/c.ts` lies in `a` and `a/b`. */
function directoriesOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
