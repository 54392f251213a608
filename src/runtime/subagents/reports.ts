/** Tasks as they are told: what their facts say, and what their subagents said and changed. */
import type { EventLog } from "../../log/index.ts";
import { changedFiles, familyOf, sessionStreamName } from "../../harness/index.ts";
import { hasTaskEnded, type StoredTask } from "../../projections/index.ts";
import { viewsAt } from "../../replay/index.ts";
import type { TaskReport } from "../../tools/index.ts";

/** A task with what became of it. */
export async function reportOf(log: EventLog, task: StoredTask): Promise<TaskReport> {
  const { taskId, status, description, role, failure, text } = task;
  const isOver = hasTaskEnded(task);
  const { files: filesChanged, coverage } = await changedFiles(log, await familyOf(log, taskId));
  const partialText = isOver && text === null ? (task.partialText ?? (await lastTextOf(log, taskId))) : null;
  return { taskId, status, description, role, failure, text, partialText, filesChanged, coverage };
}

/** What a subagent said last; `null` for nothing. */
async function lastTextOf(log: EventLog, taskId: string): Promise<string | null> {
  const stream = sessionStreamName(taskId);
  const isThere = (await log.streams(stream)).some((each) => each.stream === stream);
  if (!isThere) return null;
  const { session } = await viewsAt(log, stream);
  return session.lastText.trim() === "" ? null : session.lastText;
}
