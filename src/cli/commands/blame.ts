/** `lemon blame FILE[:LINE]` */
import { stat } from "node:fs/promises";
import path from "node:path";
import { blame, type BlameLine, type BlameOptions } from "../../replay/index.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import type { BlameFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { columns, namePrintable, timeOf } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** Tells who wrote each line of a file, or one of them in full. */
export async function blameFile(context: Context, argument: string, flags: BlameFlags): Promise<Status> {
  const { out, cwd } = context;
  const at = pointOf(flags);
  const { file, line } = await parse(argument, cwd);
  const options: BlameOptions = { ...(line === null ? {} : { line }), ...(at === null ? {} : { at }) };
  const lines = await readingLog(context, (log) => blame(log, file, options));
  if (out.json) out.document(lines);
  else for (const shown of line === null ? table(lines) : lines.flatMap(details)) out.line(shown);
  return statuses.done;
}

function pointOf({ session, at }: BlameFlags): NonNullable<BlameOptions["at"]> | null {
  if (session === undefined && at === undefined) return null;
  if (session === undefined || at === undefined)
    throw new UsageError(
      "--session and --at go together: the file as it was after that version of that session",
      {
        field: session === undefined ? "session" : "at",
      },
    );
  return { sessionId: session, version: at };
}

/** A name with a colon in it is that name, if there is such a file. */
async function parse(argument: string, cwd: string): Promise<{ file: string; line: number | null }> {
  const whole = path.resolve(cwd, argument);
  const colon = argument.lastIndexOf(":");
  if (colon < 1 || (await isThere(whole))) return { file: whole, line: null };
  const file = path.resolve(cwd, argument.slice(0, colon));
  const word = argument.slice(colon + 1);
  if (/^\d+$/.test(word)) return { file, line: Number(word) };
  if (!(await isThere(file))) return { file: whole, line: null };
  throw new UsageError(`blame: ${JSON.stringify(word)} is no line: expected a whole number from 1`, {
    field: "line",
    expected: "a whole number from 1",
  });
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function table(lines: readonly BlameLine[]): string[] {
  const heads = columns(
    lines.map(({ line, origin, tool, sessionId, version, at, hook }) => [
      String(line).padStart(String(lines.length).length),
      tool ?? origin,
      sessionId === null ? "" : `${sessionId}@${version ?? ""}`,
      at === null ? "" : timeOf(at),
      hook === null ? "" : authorWords(hook),
    ]),
  );
  const width = Math.max(0, ...heads.map((head) => head.length));
  return lines.map(({ text }, index) => `${(heads[index] ?? "").padEnd(width)} │ ${text}`.trimEnd());
}

function details(line: BlameLine): string[] {
  const { origin, sessionId, toolCallId, version, at, tool, prompt, model, hook, text } = line;
  const rows: (readonly [string, string | null])[] = [
    ["line", `${line.line}: ${text}`],
    ["by", words[origin]],
    ["session", sessionId === null ? null : `${sessionId}, version ${version ?? ""}`],
    ["call", toolCallId === null ? null : `${toolCallId}${tool === null ? "" : ` (${tool})`}`],
    ["time", at === null ? null : timeOf(at)],
    ["prompt", prompt],
    ["model", model],
    ["hook", hook === null ? null : `${authorWords(hook)} changed the call's arguments`],
  ];
  return columns(rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

const words: Readonly<Record<BlameLine["origin"], string>> = {
  call: "a call",
  restore: "a restore",
  before: "nobody here: it stood there when the file was first changed",
  outside: "nobody here: by hand, or by another program",
  unavailable: "unknown: bytes that would tell are not in the log",
};

function authorWords({ extension, version }: NonNullable<BlameLine["hook"]>): string {
  return namePrintable(version === null ? extension : `${extension} ${version}`);
}
