/** The checkpoints of a session, counted. docs/reference/progress.md */
import { upcast, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { isoTime } from "../iso-time.ts";

/** How many checkpoints there are, of all kinds; the times are ISO 8601, `null` without any. */
export interface CheckpointStats {
  readonly count: number;
  readonly filesystemCount: number;
  readonly oldest: string | null;
  readonly newest: string | null;
}

type Counted = FactOf<"checkpoint.created" | "checkpoint.deleted">;

/** Counts those that are there after version `to` of the stream of a session. */
export async function checkpointStats(log: EventLog, stream: string, to: number): Promise<CheckpointStats> {
  const live = new Map<string, { readonly isOfFiles: boolean; readonly at: number }>();
  const types: Counted["type"][] = ["checkpoint.created", "checkpoint.deleted"];
  for await (const stored of log.read(stream, { types, to })) {
    const fact = upcast(stored) as Counted;
    const { checkpointId } = fact.data;
    if (fact.type === "checkpoint.deleted") live.delete(checkpointId);
    else live.set(checkpointId, { isOfFiles: fact.data.kind === "filesystem", at: fact.at });
  }
  // In the order of the log: a clock may go backwards.
  const all = [...live.values()];
  const timeOf = (checkpoint: { readonly at: number } | undefined): string | null =>
    checkpoint === undefined ? null : isoTime(checkpoint.at);
  return {
    count: all.length,
    filesystemCount: all.filter(({ isOfFiles }) => isOfFiles).length,
    oldest: timeOf(all[0]),
    newest: timeOf(all.at(-1)),
  };
}
