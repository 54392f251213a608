/** What calls and restores of a whole log did to one path, renames followed. docs/reference/blame.md */
import { upcast, type Fact, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { fileHistoryTypes, writesOf, type PathContent } from "../../projections/index.ts";

/** One change of the path, as a fact tells it. */
export interface PathWrite {
  readonly path: string;
  readonly before: PathContent;
  readonly after: PathContent;
  /** Where the fact stands. */
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly at: number;
  /** The run that it belongs to. */
  readonly runId: string | null;
  readonly kind: "call" | "restore";
  readonly callId: string | null;
  /** The tool; `null` for a restore. */
  readonly tool: string | null;
  /** Calls whose changes the same look at the workspace may have found. */
  readonly overlapping: readonly string[];
  /** From which path it was moved here with this change; `null` for none. */
  readonly movedFrom: string | null;
}

/** Tools whose receipts are exact also beside other calls. */
const exactTools: ReadonlySet<string | null> = new Set(["write", "edit", "patch"]);

/** All changes of files up to a position, by path. Facts whose data was left out tell of none. */
export async function writesByPath(
  log: Pick<EventLog, "readAll">,
  to: number = Number.POSITIVE_INFINITY,
): Promise<ReadonlyMap<string, readonly PathWrite[]>> {
  const byPath = new Map<string, PathWrite[]>();
  for await (const fact of log.readAll({ types: fileHistoryTypes })) {
    if (fact.position > to) break;
    if (fact.redacted !== undefined || !fact.stream.startsWith("session-")) continue;
    for (const write of writesIn(fact)) byPath.set(write.path, [...(byPath.get(write.path) ?? []), write]);
  }
  return byPath;
}

/**
 * The changes of one file in their order, those under its former names first.
 *
 * @param until - changes at this position and after it do not count
 */
export function historyOfPath(
  byPath: ReadonlyMap<string, readonly PathWrite[]>,
  path: string,
  until: number = Number.POSITIVE_INFINITY,
): PathWrite[] {
  const own = (byPath.get(path) ?? []).filter(({ position }) => position < until);
  const moved = own.findLastIndex(({ movedFrom }) => movedFrom !== null);
  const move = own[moved];
  if (move === undefined || move.movedFrom === null) return withoutDoubles(own);
  const earlier = historyOfPath(byPath, move.movedFrom, move.position);
  const source = byPath.get(move.movedFrom)?.find(({ position }) => position === move.position);
  const before = source?.before ?? { is: "unknown" };
  return [...earlier, { ...move, before }, ...withoutDoubles(own.slice(moved + 1))];
}

/** The session of a stream. */
export function sessionIdOf(stream: string): string {
  return stream.slice("session-".length);
}

function writesIn(fact: Fact): PathWrite[] {
  const told = upcast(fact) as FactOf<(typeof fileHistoryTypes)[number]>;
  const receipt = told.type === "checkpoint.restored" ? null : told.data.receipt;
  const writes = writesOf(fact);
  const base = {
    stream: fact.stream,
    version: fact.version,
    at: fact.at,
    runId: fact.correlation,
    kind: receipt === null ? ("restore" as const) : ("call" as const),
    callId: told.data.callId,
    tool: receipt?.action ?? null,
    overlapping: receipt?.overlappingCallIds ?? [],
  };
  return writes.map((write) => ({
    ...base,
    ...write,
    movedFrom: receipt === null ? null : sourceOf(write, writes),
  }));
}

type Image = Pick<PathWrite, "path" | "before" | "after">;

/** Where a file came from that was not there before: one with its bytes that went in the same change, or the only one that went. */
function sourceOf({ before, after }: Image, all: readonly Image[]): string | null {
  if (before.is !== "absent" || after.is === "absent") return null;
  const gone = all.filter((other) => other.after.is === "absent" && other.before.is !== "absent");
  const same = gone.find((other) => isSame(other.before, after));
  if (same !== undefined) return same.path;
  const made = all.filter((other) => other.before.is === "absent");
  return gone.length === 1 && made.length === 1 ? (gone[0]?.path ?? null) : null;
}

/**
 * Two calls that were at work at once may both tell one change. It is that of the tool which knows what it wrote, else that
 * of the first.
 */
function withoutDoubles(writes: readonly PathWrite[]): PathWrite[] {
  const kept: PathWrite[] = [];
  for (const write of writes) {
    const last = kept.at(-1);
    const isDouble =
      last !== undefined &&
      isSame(last.before, write.before) &&
      isSame(last.after, write.after) &&
      [last.overlapping.includes(write.callId ?? ""), write.overlapping.includes(last.callId ?? "")].includes(
        true,
      );
    if (!isDouble) kept.push(write);
    else if (exactTools.has(write.tool) && !exactTools.has(last.tool)) kept[kept.length - 1] = write;
  }
  return kept;
}

/** Whether two contents are known to be equal. */
export function isSame(one: PathContent, other: PathContent): boolean {
  if (one.is === "file") return other.is === "file" && one.sha256 === other.sha256;
  return one.is === "absent" && other.is === "absent";
}
