/** The timeline: facts counted in buckets, and the facts that stand out. */
import type { KnownFact } from "../../events/index.ts";
import type { MarkKind, TimelineBucket, TimelineMark } from "../api.ts";
import type { FactColumns } from "./fact-columns.ts";
import { noLaneCounts } from "./lanes.ts";

/** Marks of one answer, at most. */
const MAX_MARKS = 5_000;

/** Divides the facts into buckets of as many facts each, give or take one: never more buckets than facts. */
export function bucketsOf(columns: FactColumns, count: number): TimelineBucket[] {
  const total = columns.version;
  const number = Math.min(count, total);
  return Array.from({ length: number }, (_, at) => {
    const from = Math.floor((at * total) / number) + 1;
    const to = Math.floor(((at + 1) * total) / number);
    const counts = noLaneCounts();
    let errors = 0;
    for (let version = from; version <= to; version += 1) {
      counts[columns.laneOf(version)] += 1;
      if (columns.isError(version)) errors += 1;
    }
    return { from, to, at: columns.atOf(from), counts, errors };
  });
}

/** What kind of mark a fact makes; `null` for none. */
export function markOf(fact: KnownFact, isError: boolean): MarkKind | null {
  switch (fact.type) {
    case "prompt.submitted":
    case "steer.submitted":
    case "follow_up.submitted":
      return "prompt";
    case "turn.started":
      return "turn";
    case "tool_call.blocked":
      return "block";
    case "tool_call.interrupted":
    case "model.lost":
    case "compaction.lost":
      // Only a recovery after the death of a process writes these.
      return "restart";
    case "session.compacted":
      return "compaction";
    case "abort.requested":
      return "abort";
    case "agent.ended":
      return isError ? "error" : "end";
    case "session.forked":
      return "fork";
    case "checkpoint.created":
      return fact.data.origin === "user" ? "checkpoint" : null;
    default:
      return isError ? "error" : null;
  }
}

/** As many marks as may be shown: of too many, those of the rarest kinds, and of the last such kind the first. */
export function shownMarks<Mark extends { readonly version: number; readonly kind: MarkKind }>(
  marks: readonly Mark[],
  most = MAX_MARKS,
): readonly Mark[] {
  if (marks.length <= most) return marks;
  const byKind = new Map<MarkKind, Mark[]>();
  for (const mark of marks) {
    const found = byKind.get(mark.kind);
    if (found === undefined) byKind.set(mark.kind, [mark]);
    else found.push(mark);
  }
  const rarestFirst = [...byKind.values()].sort((a, b) => a.length - b.length);
  return rarestFirst
    .flat()
    .slice(0, most)
    .sort((a, b) => a.version - b.version);
}

/** The marks with their words. */
export function labelled(
  columns: FactColumns,
  marks: readonly { readonly version: number; readonly kind: MarkKind }[],
): TimelineMark[] {
  return marks.map(({ version, kind }) => ({
    version,
    kind,
    label: columns.summaryOf(version) || columns.typeOf(version),
  }));
}
