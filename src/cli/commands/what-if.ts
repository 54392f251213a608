/** `lemon what-if ID…` */
import type { ApprovalMode } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { listSessions, type ChangedVerdict, type Verdict } from "../../replay/index.ts";
import { whatIfOver, type WhatIfOptions, type WhatIfReport } from "../../runtime/index.ts";
import { describeCall } from "../calls.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import { assertExtensions } from "../extension-loading.ts";
import type { WhatIfFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { loggerOf } from "../logger.ts";
import { oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";
import { isPrivate, runPrivately } from "../results.ts";

/** Judges stored sessions again. Status 1 for a changed verdict when that was asked for. */
export async function whatIf(context: Context, ids: readonly string[], flags: WhatIfFlags): Promise<Status> {
  const options = optionsOf(ids, flags);
  await assertExtensions(flags.extension);
  const { out, home, env, leftBehind, interrupts } = context;
  // An extension runs beside results that are a protocol.
  if (out.json && !isPrivate() && flags.extension !== undefined) return runPrivately();
  const signal = interrupts.soften();
  const report = await readingLog(context, async (log) => {
    const wanted = flags.all === true ? await wholeSessions(context, log) : ids;
    const onSession: WhatIfOptions["onSession"] = ({ done, of }) => out.progress(`${done} of ${of} sessions`);
    try {
      return await whatIfOver(
        log,
        wanted,
        { ...options, onSession, signal },
        {
          home,
          cwd: process.cwd(),
          env,
          logger: loggerOf(out),
          onExtensionOutput: (module, line) => out.note(`[${module}] ${line}`),
          leftBehind,
        },
      );
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  });
  out.clearProgress();
  if (report === null) return interrupts.status;
  if (out.json) out.document(report);
  else for (const line of await linesOf(report)) out.line(line);
  return flags.failOnChange === true && report.changes.length > 0 ? statuses.failed : statuses.done;
}

/** All of the log. Of those whose data was left out of their bundle nothing can be judged. */
async function wholeSessions({ out }: Context, log: EventLog): Promise<string[]> {
  const known = await listSessions(log);
  const left = known.filter(({ cwd }) => cwd === null);
  for (const { sessionId } of left)
    out.warn(`session ${sessionId} is not judged: its data was left out of its bundle`);
  return known.filter(({ cwd }) => cwd !== null).map(({ sessionId }) => sessionId);
}

function optionsOf(ids: readonly string[], flags: WhatIfFlags): WhatIfOptions {
  const { extension, approve, deny, requireApproval, keep = false } = flags;
  if (flags.all === true && ids.length > 0)
    throw new UsageError("--all: takes all sessions, so none is to be named", { field: "all" });
  if (flags.all !== true && ids.length === 0)
    throw new UsageError("what-if: name sessions, or give --all", { field: "id", expected: "a session" });
  const rules = [extension, approve, deny, requireApproval];
  if (flags.extensions !== false && rules.every((rule) => rule === undefined))
    throw new UsageError(
      "what-if: say what to judge with: --extension, --no-extensions, --approve, --deny or --require-approval",
      { field: "extension", expected: "a rule that may differ from the recorded ones" },
    );
  if (flags.extensions === false && (extension !== undefined || keep))
    throw new UsageError("--no-extensions: goes with neither --extension nor --keep", {
      field: "extensions",
    });
  if (keep && extension === undefined)
    throw new UsageError("--keep: goes with --extension", { field: "keep", expected: "--extension" });
  const extensions = flags.extensions === false ? [] : extension;
  const toolPolicy = {
    ...(deny === undefined ? {} : { deny }),
    ...(requireApproval === undefined ? {} : { requireApproval }),
  };
  return {
    ...(extensions === undefined ? {} : { extensions, keepRecorded: keep }),
    ...(approve === undefined ? {} : { approval: approve satisfies ApprovalMode }),
    ...(deny === undefined && requireApproval === undefined ? {} : { toolPolicy }),
  };
}

async function linesOf({ sessions, calls, changes, contexts }: WhatIfReport): Promise<string[]> {
  const lines = [`${sentence(changes, calls)} in ${counted(sessions, "session")}`];
  let session = "";
  for (const change of changes) {
    if (change.sessionId !== session) lines.push("", `session ${(session = change.sessionId)}`);
    lines.push(...(await changeLines(change)));
  }
  for (const { sessionId, version, before, after } of contexts) {
    lines.push("", `session ${sessionId}  version ${version}  the context at its start would differ`);
    lines.push(`    before  ${before === null ? "none" : oneLine(before, 200)}`);
    lines.push(`    after   ${after === null ? "none" : oneLine(after, 200)}`);
  }
  return lines;
}

/** What would have been otherwise, in one sentence. */
function sentence(changes: readonly ChangedVerdict[], calls: number): string {
  const isStopped = ({ decision }: Verdict): boolean => decision !== "allowed" && decision !== "waiting";
  const groups: readonly (readonly [string, (change: ChangedVerdict) => boolean])[] = [
    ["blocked", ({ before, after }) => !isStopped(before) && isStopped(after)],
    ["let run", ({ before, after }) => before.decision !== "allowed" && after.decision === "allowed"],
    ["asked about", ({ before, after }) => before.decision !== "waiting" && after.decision === "waiting"],
  ];
  const kinds = changes.map((change) => groups.find(([, holds]) => holds(change))?.[0] ?? "changed");
  const told = ["blocked", "let run", "asked about", "changed"]
    .map((kind) => [kind, kinds.filter((each) => each === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`);
  const all = counted(calls, "call");
  if (told.length === 0) return `nothing would have changed for ${all}`;
  const last = told.pop() ?? "";
  return `would have ${told.length === 0 ? last : `${told.join(", ")} and ${last}`} of ${all}`;
}

async function changeLines({
  toolCallId,
  tool,
  args,
  version,
  before,
  after,
  changed,
}: ChangedVerdict): Promise<string[]> {
  const lines = [
    `  ${toolCallId}  version ${version}  ${describeCall(tool, args)}`,
    `    before  ${verdictWords(before)}`,
    `    after   ${verdictWords(after)}`,
  ];
  if (changed.includes("args")) lines.push(...(await diffOf(before.args ?? args, after.args ?? args)));
  if (changed.includes("content")) lines.push(...(await diffOf(before.content, after.content)));
  if (changed.includes("details")) lines.push(...(await diffOf(before.details, after.details)));
  return lines;
}

function verdictWords(verdict: Verdict): string {
  const { decision, reason, approval, args, content, details, context, by } = verdict;
  const why = reason === null ? "" : `: ${oneLine(reason, 200)}`;
  const asked = approval === "asked" && decision !== "waiting" ? ", asked before" : "";
  const decided = decision === "waiting" ? "waits for an approval" : decision.replace("_", " ");
  return [
    `${decided}${by.decision === null ? "" : ` by ${authorWords(by.decision)}`}${why}${asked}`,
    ...(args === null ? [] : [`arguments of ${by.args === null ? "a hook" : authorWords(by.args)}`]),
    ...(content === null && details === null ? [] : [`result of ${by.result.map(authorWords).join(", ")}`]),
    ...(context === null
      ? []
      : [
          `context of ${by.context.map(authorWords).join(", ")}: ${oneLine(context.slice(context.indexOf("\n") + 1), 120)}`,
        ]),
  ].join("; ");
}

function authorWords({
  module,
  version,
}: {
  readonly module: string;
  readonly version: string | null;
}): string {
  const name = module === "" ? "nobody" : module;
  return version === null ? name : `${name} ${version}`;
}

async function diffOf(before: unknown, after: unknown): Promise<string[]> {
  const { diffLines } = await import("diff");
  const parts = diffLines(pretty(before), pretty(after), { timeout: 2_000 }) ?? [];
  return parts.flatMap(({ value, added, removed }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return value
      .trimEnd()
      .split("\n")
      .map((line) => `      ${sign} ${oneLineKeepingBlanks(line)}`);
  });
}

/** One line of a diff, bounded: arguments may hold whole files. */
function oneLineKeepingBlanks(line: string): string {
  return line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`;
}

function pretty(value: unknown): string {
  return `${value === null || value === undefined ? "(as the tool gave it)" : JSON.stringify(value, null, 2)}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
