/** What the calls of a session, and of its subagents, changed taken together. docs/reference/receipts.md */
import { upcast, type FactData, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import {
  fileHistoryTypes,
  heldAt,
  ledgerOf,
  writesOf,
  type FileWrite,
  type PathContent,
} from "../../projections/index.ts";
import { sessionStreamName } from "../session-id.ts";

type Receipt = NonNullable<FactData<"tool_call.returned">["receipt"]>;

/** A file that is not what it was. */
export interface ChangedFile {
  readonly path: string;
  readonly change: Receipt["files"][number]["change"];
}

/** All of them, in the order of the first change, and how far that can be known. */
export interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** The lowest of all calls; `full` without any. */
  readonly coverage: Receipt["coverage"];
}

const LOWEST_FIRST: readonly Receipt["coverage"][] = ["none", "partial", "full"];

/**
 * @param sessions - whose calls; their writes are taken in the order of the log
 * @param before - a position of the log: calls whose facts stand behind it do not count. Default: all do
 */
export async function changedFiles(
  log: EventLog,
  sessions: readonly string[],
  before: number = Number.POSITIVE_INFINITY,
): Promise<ChangedFiles> {
  const writes: FileWrite[] = [];
  let coverage: Receipt["coverage"] = "full";
  for (const session of sessions) {
    for await (const fact of log.read(sessionStreamName(session), { types: fileHistoryTypes })) {
      if (fact.position >= before) break;
      writes.push(...writesOf(fact));
      const receipt = receiptOf(upcast(fact) as FactOf<(typeof fileHistoryTypes)[number]>);
      if (receipt !== null) coverage = lower(coverage, receipt.coverage);
    }
  }
  writes.sort((a, b) => a.position - b.position);
  const after = ledgerOf(writes, 0);
  const files: ChangedFile[] = [];
  for (const [path, before] of heldAt(writes, 0)) {
    const change = changeBetween(before, after.get(path) ?? { is: "unknown" });
    if (change !== null) files.push({ path, change });
  }
  return { files, coverage };
}

function receiptOf(fact: FactOf<(typeof fileHistoryTypes)[number]>): Receipt | null {
  return fact.type === "checkpoint.restored" ? null : fact.data.receipt;
}

function lower(one: Receipt["coverage"], other: Receipt["coverage"]): Receipt["coverage"] {
  return LOWEST_FIRST.indexOf(one) < LOWEST_FIRST.indexOf(other) ? one : other;
}

/** `null`: it is as it was. */
function changeBetween(before: PathContent, after: PathContent): ChangedFile["change"] | null {
  if (before.is === "absent") return after.is === "absent" ? null : "created";
  if (after.is === "absent") return "deleted";
  if (before.is === "unknown" || after.is === "unknown") return "modified";
  if (before.sha256 !== after.sha256) return "modified";
  return before.mode === after.mode ? null : "mode";
}
