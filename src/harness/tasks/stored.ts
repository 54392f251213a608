/** Tasks, and the sessions that work at them, as the log has them. */
import { upcast, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { hasTaskEnded, project, tasks, type Tasks } from "../../projections/index.ts";
import { sessionStreamName } from "../session-id.ts";

/** The tasks of a session. @param to - as they were after this version; default: its last */
export async function storedTasks(log: EventLog, sessionId: string, to?: number): Promise<Tasks> {
  let view = tasks.initial;
  const range = { types: Object.keys(tasks.types), ...(to === undefined ? {} : { to }) };
  for await (const fact of log.read(sessionStreamName(sessionId), range)) view = project(tasks, view, fact);
  return view;
}

/**
 * The tasks of a session as they are now. One that has no end, in a session that nobody leads, is nobody's work: it is
 * `lost`, unless its session is resumed. docs/reference/subagents.md, "After a crash"
 */
export async function currentTasks(log: EventLog, sessionId: string): Promise<Tasks> {
  const stored = await storedTasks(log, sessionId);
  if (Object.values(stored).every(hasTaskEnded)) return stored;
  if ((await log.leaderOf(sessionStreamName(sessionId))) !== null) return stored;
  const entries = Object.entries(stored).map(
    ([id, task]) => [id, hasTaskEnded(task) ? task : { ...task, status: "lost" as const }] as const,
  );
  return Object.fromEntries(entries);
}

/** The session itself, then those of its subagents and of theirs, however deep. The session of a task has its id. */
export async function familyOf(log: EventLog, sessionId: string): Promise<readonly string[]> {
  const family = [sessionId];
  for (const member of family) {
    const types = ["subagent.queued"];
    for await (const fact of log.read(sessionStreamName(member), { types })) {
      const { taskId } = (upcast(fact) as FactOf<"subagent.queued">).data;
      if (!family.includes(taskId)) family.push(taskId);
    }
  }
  return family;
}
