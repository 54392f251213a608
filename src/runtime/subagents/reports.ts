/** Tasks as they are told: what their facts say, what their subagents changed, and whether anybody still works on them. */
import type { EventLog } from "../../log/index.ts";
import { changedFiles, familyOf, sessionStreamName, storedTasks } from "../../harness/index.ts";
import { hasEnded, type StoredTask, type Tasks } from "../../projections/index.ts";
import { stateAt } from "../../replay/index.ts";
import type { TaskReport } from "../../tools/index.ts";

/**
 * The tasks of a session as they are now. One that has no end, in a session that nobody leads, is nobody's work: it is
 * `lost`, unless its session is resumed. docs/reference/subagents.md, "After a crash"
 */
export async function currentTasks(log: EventLog, sessionId: string): Promise<Tasks> {
  const stored = await storedTasks(log, sessionId);
  if (Object.values(stored).every(hasEnded)) return stored;
  if ((await log.leaderOf(sessionStreamName(sessionId))) !== null) return stored;
  const entries = Object.entries(stored).map(
    ([id, task]) => [id, hasEnded(task) ? task : { ...task, status: "lost" as const }] as const,
  );
  return Object.fromEntries(entries);
}

/** A task with what became of it. */
export async function reportOf(log: EventLog, task: StoredTask): Promise<TaskReport> {
  const { taskId, status, description, role, failure, text } = task;
  const isOver = hasEnded(task);
  const { files: filesChanged, coverage } = await changedFiles(log, await familyOf(log, taskId));
  const partialText = isOver && text === null ? (task.partialText ?? (await lastTextOf(log, taskId))) : null;
  return { taskId, status, description, role, failure, text, partialText, filesChanged, coverage };
}

/** What a subagent said last; `null` for nothing. */
async function lastTextOf(log: EventLog, taskId: string): Promise<string | null> {
  const stream = sessionStreamName(taskId);
  const isThere = (await log.streams(stream)).some((each) => each.stream === stream);
  if (!isThere) return null;
  const { session } = await stateAt(log, stream);
  return session.lastText.trim() === "" ? null : session.lastText;
}
