/** The checkpoints of a session, counted. docs/reference/checkpoints.md */
import type { EventLog } from "../../log/index.ts";
import { checkpointCounts, checkpoints, project, type Checkpoints } from "../../projections/index.ts";
import { isoTime } from "../iso-time.ts";
import type { CheckpointStats } from "./types.ts";

/** Counts those that are there after version `to` of the stream of a session. */
export async function checkpointStats(log: EventLog, stream: string, to: number): Promise<CheckpointStats> {
  let view = checkpoints.initial;
  const types = Object.keys(checkpoints.types);
  for await (const fact of log.read(stream, { types, to })) view = project(checkpoints, view, fact);
  return statsOf(view);
}

/** Counts those of a view. */
export function statsOf(view: Checkpoints): CheckpointStats {
  const { count, filesystemCount, oldestAt, newestAt } = checkpointCounts(view);
  const timeOf = (time: number | null): string | null => (time === null ? null : isoTime(time));
  return { count, filesystemCount, oldest: timeOf(oldestAt), newest: timeOf(newestAt) };
}
