/** `lemon bisect ID (--run COMMAND | --when EXPR)` */
import path from "node:path";
import { stat } from "node:fs/promises";
import {
  bisect,
  requireSession,
  type BisectOptions,
  type BisectResult,
  type BisectRun,
} from "../../replay/index.ts";
import { describeCall } from "../calls.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import type { BisectFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { namePrintable, oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** How much of what a check printed is shown when it can't be used. */
const TAIL_BYTES = 2_000;
const SHOWN_PATHS = 10;

/** Names the first fact after which a command fails or an expression holds. Without one it is status 1. */
export async function bisectSession(context: Context, id: string, flags: BisectFlags): Promise<Status> {
  const { out, interrupts, home, env } = context;
  const { workDir, timeout, ...where } = flags;
  if (workDir !== undefined && !(await isFolder(workDir)))
    throw new UsageError(`--work-dir ${workDir} is no folder`, { field: "work-dir", expected: "a folder" });
  let tail = Buffer.alloc(0);
  const options: BisectOptions = {
    ...where,
    ...(workDir === undefined ? {} : { workDir: path.resolve(workDir) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    env,
    skipped: [home],
    signal: interrupts.soften(),
    onOutput: (bytes) => {
      if (out.verbose) process.stderr.write(bytes);
      else tail = Buffer.concat([tail, bytes]).subarray(-TAIL_BYTES);
    },
    onStart: ({ version }) => {
      tail = Buffer.alloc(0);
      out.progress(`version ${version}: the check runs`);
    },
    onRun: (run) => out.note(`version ${run.version}: ${outcomeOf(run)}`),
  };
  try {
    const found = await readingLog(context, async (log) => {
      const { sessionId } = await requireSession(log, id);
      return bisect(log, sessionId, options);
    });
    if (out.json) out.document(found);
    else tell(context, found, flags.when === undefined ? "the check fails" : "the expression holds");
    return statuses.done;
  } catch (error) {
    if (interrupts.happened) return interrupts.status;
    if (tail.length > 0 && isUnusable(error)) out.note(`the check printed:\n${tail.toString().trimEnd()}`);
    throw error;
  } finally {
    out.clearProgress();
  }
}

function outcomeOf({ judgement, exitCode, timedOut }: BisectRun): string {
  if (timedOut) return "bad (it took too long)";
  return judgement === "bad"
    ? `bad (${exitCode === null ? "ended by a signal" : `status ${exitCode}`})`
    : judgement;
}

function isUnusable(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "check_fails_at_start";
}

function tell({ out }: Context, found: BisectResult, what: string): void {
  const { version, fact, runs, call, sessionId, filesUnavailable = [] } = found;
  const elsewhere =
    fact.stream === `session-${sessionId}` ? "" : ` (${fact.stream}, version ${fact.version})`;
  const many = `${runs} ${runs === 1 ? "run" : "runs"}`;
  out.line(out.paint("bold", `Version ${version} is the first after which ${what} (${many}).`));
  out.line(`fact     ${fact.type}${elsewhere}, ${new Date(fact.at).toISOString()}`);
  if (call !== null) {
    if (call.tool !== null) out.line(`call     ${describeCall(call.tool, call.args)}`);
    if (call.callId !== null) out.line(`         ${call.callId}`);
    if (call.prompt !== null)
      out.line(`prompt   ${oneLine(call.prompt, 100)} (version ${call.promptVersion})`);
    for (const [at, name] of call.paths.slice(0, SHOWN_PATHS).entries())
      out.line(`${at === 0 ? "changed" : "       "}  ${namePrintable(name)}`);
    if (call.paths.length > SHOWN_PATHS) out.line(`         and ${call.paths.length - SHOWN_PATHS} more`);
  }
  if (filesUnavailable.length > 0)
    out.warn(
      `the content of ${filesUnavailable.length} files was not known at some versions: ${filesUnavailable[0]} …`,
    );
}

async function isFolder(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => null))?.isDirectory() === true;
}
