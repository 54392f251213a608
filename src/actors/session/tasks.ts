/**
 * What a session knows of the tasks that it gave to subagents: which are open, and of which ends its model has to be
 * told. Pure. docs/reference/subagents.md, "What the model is told"
 */
import type { ContentBlock, Decision, FactData } from "../../events/index.ts";
import { taskStatusOf, type TaskEnd } from "../../projections/index.ts";

interface OpenTask {
  readonly isAsync: boolean;
  readonly description: string;
}

/** The tasks of a session. */
export interface SessionTasks {
  readonly open: Readonly<Record<string, OpenTask & { readonly isStarted: boolean }>>;
  /** Messages that are due before the next request, in the order of the ends. */
  readonly due: readonly { readonly taskId: string; readonly content: readonly ContentBlock[] }[];
}

/** Without any. */
export const noTasks: SessionTasks = { open: {}, due: [] };

/** Whether a task may start: it waits, and has neither started nor ended. */
export function canStart({ open }: SessionTasks, taskId: string): boolean {
  return open[taskId]?.isStarted === false;
}

/** Whether a task has no end yet: the first end is the end. */
export function isOpen({ open }: SessionTasks, taskId: string): boolean {
  return Object.hasOwn(open, taskId);
}

/** Whether any has no end yet. */
export function hasOpen({ open }: SessionTasks): boolean {
  return Object.keys(open).length > 0;
}

/** A call gives a task to a subagent. */
export function takeQueued(tasks: SessionTasks, queued: FactData<"subagent.queued">): SessionTasks {
  const { taskId, isAsync, description } = queued;
  return { ...tasks, open: { ...tasks.open, [taskId]: { isAsync, description, isStarted: false } } };
}

/** A subagent begins. */
export function takeStarted(tasks: SessionTasks, taskId: string): SessionTasks {
  const task = tasks.open[taskId];
  if (task === undefined) return tasks;
  return { ...tasks, open: { ...tasks.open, [taskId]: { ...task, isStarted: true } } };
}

/** A task ends. Where a call waits for it, or asked for its end, that call tells the model. */
export function takeEnd(tasks: SessionTasks, end: Decision<TaskEnd>): SessionTasks {
  const { taskId } = end.data;
  const { [taskId]: task, ...open } = tasks.open;
  if (task === undefined) return tasks;
  const isAsked = end.type === "subagent.cancelled" && end.data.callId !== null;
  if (!task.isAsync || isAsked) return { ...tasks, open };
  const content: ContentBlock[] = [{ type: "text", text: noticeOf(task, end) }];
  return { open, due: [...tasks.due, { taskId, content }] };
}

/** Calls have told the model of these. */
export function takeReported(tasks: SessionTasks, taskIds: readonly string[]): SessionTasks {
  return { ...tasks, due: tasks.due.filter(({ taskId }) => !taskIds.includes(taskId)) };
}

/** The session is told to stop: so are all its tasks. */
export function cancelAll(
  tasks: SessionTasks,
  cause: FactData<"subagent.cancelled">["cause"],
): readonly [SessionTasks, readonly Decision<"subagent.cancelled">[]] {
  const decisions = Object.keys(tasks.open).map((taskId): Decision<"subagent.cancelled"> => {
    return { type: "subagent.cancelled", data: { taskId, cause, callId: null, reason: null } };
  });
  return [decisions.reduce<SessionTasks>(takeEnd, tasks), decisions];
}

/** Puts the messages that are due before the request, if there is one among the decisions: then they are due no more. */
export function announce(
  tasks: SessionTasks,
  decisions: readonly Decision[],
): readonly [SessionTasks, readonly Decision[]] {
  const at = decisions.findIndex(({ type }) => type === "model.requested");
  if (at < 0 || tasks.due.length === 0) return [tasks, decisions];
  const messages = tasks.due.map(({ content }): Decision => {
    return { type: "message.appended", data: { content: [...content], source: "task" } };
  });
  return [{ ...tasks, due: [] }, [...decisions.slice(0, at), ...messages, ...decisions.slice(at)]];
}

function noticeOf({ description }: OpenTask, end: Decision<TaskEnd>): string {
  const line = `[subagent ${end.data.taskId} (${description}): ${taskStatusOf(end.type)}]`;
  const text = textOf(end);
  return text === null || text === "" ? line : `${line}\n\n${text}`;
}

function textOf(end: Decision<TaskEnd>): string | null {
  switch (end.type) {
    case "subagent.completed":
      return end.data.text;
    case "subagent.cancelled":
      return null;
    default: {
      const { partialText } = end.data;
      return partialText === null ? null : `It had said so far:\n${partialText}`;
    }
  }
}
