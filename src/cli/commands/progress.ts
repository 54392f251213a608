/** `lemon progress ID [--at N]` */
import { readFeatures, readProgress, type ProgressSnapshot } from "../../harness/index.ts";
import { SessionNotFoundError } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { columns, oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** Characters of a bar. */
const BAR = 24;

/** Shows how far a session is, as it is or was after a fact. */
export async function progress(
  context: Context,
  id: string,
  { at }: { readonly at?: number },
): Promise<Status> {
  const { out } = context;
  const found = await readingLog(context, async (log) => {
    const cwd = context.isCwdNamed ? context.cwd : ".";
    const read = await readProgress({ log, load: readFeatures }, id, cwd, at);
    if (read.version === 0) throw new SessionNotFoundError(read.sessionId);
    return read;
  });
  const { sessionId, cwd, version, snapshot } = found;
  if (out.json) {
    out.document({ sessionId, cwd, version, ...snapshot });
    return statuses.done;
  }
  for (const line of columns(areas(snapshot))) out.line(line);
  for (const line of nextLines(snapshot)) out.line(line);
  if (snapshot.featuresError !== null)
    out.warn(`the features of ${cwd} can't be read: ${snapshot.featuresError}`);
  return statuses.done;
}

/** One line an area. */
function areas({ todos, features, checkpoints, overallPercentage }: ProgressSnapshot): string[][] {
  const share = (percentage: number): string[] => [...bar(percentage), `${percentage} %`.padStart(5)];
  const counts = (of: { readonly completed: number; readonly total: number; readonly inProgress: number }) =>
    `${of.completed} of ${of.total}, ${of.inProgress} in progress`;
  const blocked = todos.blocked === 0 ? "" : `, ${todos.blocked} blocked`;
  const failed = features === null || features.failed === 0 ? "" : `, ${features.failed} failed`;
  return [
    ["all", ...share(overallPercentage)],
    ["todos", ...share(todos.percentage), `${counts(todos)}${blocked}`],
    ...(features === null
      ? []
      : [["features", ...share(features.percentage), `${counts(features)}${failed}`]]),
    ["checkpoints", ...bar(0).map(() => ""), String(checkpoints.count).padStart(5), newest(checkpoints)],
  ];
}

function newest({ newest: time, filesystemCount }: ProgressSnapshot["checkpoints"]): string {
  return time === null ? "" : `${filesystemCount} of files, the newest ${time}`;
}

/** Only a terminal shows it. */
function bar(percentage: number): string[] {
  if (process.stdout.isTTY !== true) return [];
  const done = Math.round((percentage / 100) * BAR);
  return [`${"█".repeat(done)}${"░".repeat(BAR - done)}`];
}

function nextLines({ nextActions: { todos, features } }: ProgressSnapshot): string[] {
  const next = [
    ...todos.map(({ id, content }) => ["todo", oneLine(id, 40), oneLine(content, 100)]),
    ...features.map(({ id, description }) => ["feature", oneLine(id, 40), oneLine(description, 100)]),
  ];
  return next.length === 0 ? [] : ["", "next:", ...columns(next)];
}
