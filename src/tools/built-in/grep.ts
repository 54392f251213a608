import { globMatcher, type RipgrepEnd, runRipgrep } from "../../workspace/index.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, ToolResult } from "../tool.ts";
import { GrepMatches } from "./grep-matches.ts";
import { type SearchBase, searchBase } from "./search-base.ts";

const defaultLimit = 100;
const maxLimit = 2_000;

interface GrepArguments {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  readonly limit?: number;
}

/** Searches in files. Its promises stand in docs/reference/tools.md, "grep". */
export const grepTool: BuiltInTool = {
  name: "grep",
  label: "Grep",
  description:
    "Searches the text of files and gives the matching lines as path:line:text, sorted by path. The pattern is a regular expression; " +
    "with literal it is plain text. Files that .gitignore names, .git and binary files are left out; dot-files are not.",
  parameters: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        description:
          "Regular expression (Rust syntax; lookaround and backreferences work too), or text with literal",
      },
      path: {
        type: "string",
        minLength: 1,
        description: "File or directory to search; default: the working directory",
      },
      glob: {
        type: "string",
        minLength: 1,
        description: "Only files that match, e.g. *.ts or src/**/*.ts, relative to path",
      },
      literal: { type: "boolean", description: "Take the pattern as plain text; default false" },
      ignoreCase: { type: "boolean", description: "Upper and lower case are the same; default false" },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: maxLimit,
        description: `Most matching lines; default ${defaultLimit}`,
      },
    },
    required: ["pattern"],
  },
  otherSpellings: {
    query: "pattern",
    regex: "pattern",
    include: "glob",
    ignore_case: "ignoreCase",
    directory: "path",
    dir: "path",
    base: "path",
  },
  parallelSafe: true,
  idempotent: true,
  readOnly: true,
  timeoutMs: 60_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    return grep(args as unknown as GrepArguments, signal, context);
  },
};

async function grep(
  request: GrepArguments,
  signal: AbortSignal,
  context: BuiltInContext,
): Promise<ToolResult> {
  const { limit = defaultLimit, glob } = request;
  const base = await searchBase(request.path, true, context);
  const isWanted = glob === undefined ? () => true : await globMatcher(glob);
  const matches = new GrepMatches(limit, isWanted, (path) => base.show(path));
  const end = await runRipgrep({
    args: searchArguments(request),
    cwd: base.directory,
    path: base.path,
    separator: 10,
    signal,
    onRecord: (record) => matches.push(record),
  });
  if (end.failed && end.message !== "") return failure(request, end);
  return result(request, base, matches, end);
}

function searchArguments({ pattern, literal = false, ignoreCase = false }: GrepArguments): string[] {
  const isMultiline = pattern.includes("\n") || (!literal && /\\n/.test(pattern));
  return [
    "--json",
    // Faults of single files say so by the exit code alone; what is left on stderr is about the pattern.
    "--no-messages",
    "--crlf",
    ...(literal ? ["--fixed-strings"] : ["--engine=auto"]),
    ...(ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(isMultiline ? ["--multiline"] : []),
    `--regexp=${pattern}`,
  ];
}

function failure({ pattern, literal = false }: GrepArguments, { message }: RipgrepEnd): ToolResult {
  if (literal) return errorResult(`grep failed: ${message}`);
  // Both engines complain. The first one's word counts, except about what only the second one knows.
  const [, own] = /^error: (.*)$/m.exec(message) ?? [];
  const [, second] = /^PCRE2: (.*)$/m.exec(message) ?? [];
  const reason =
    (own === undefined || /look-around|backreference/.test(own) ? second : own) ??
    message.replace(/^rg: /, "");
  return errorResult(
    `Invalid pattern ${JSON.stringify(pattern)}: ${reason}. To search for this very text set literal.`,
  );
}

function result(
  { pattern, limit = defaultLimit }: GrepArguments,
  base: SearchBase,
  matches: GrepMatches,
  end: RipgrepEnd,
): ToolResult {
  const { lines, files, truncated, binaries } = matches.end();
  const notices = [
    ...(truncated
      ? [`Only the first ${limit} matching lines are shown: narrow the search, or raise limit.`]
      : []),
    ...(binaries.length > 0
      ? [`Binary files match: ${binaries.slice(0, 5).join(", ")}${binaries.length > 5 ? ", …" : ""}`]
      : []),
    ...(end.failed ? ["Some files could not be read."] : []),
  ];
  const text =
    lines.length === 0 ? `No matches for ${JSON.stringify(pattern)} in ${base.shown}` : lines.join("\n");
  return textResult(text + (notices.length === 0 ? "" : `\n\n[${notices.join(" ")}]`), {
    matches: lines.length,
    files,
    truncated,
  });
}
