/** The tasks that a session gave to subagents. docs/reference/subagents.md */
import type { FactData, FactOf } from "../events/index.ts";
import type { Projection } from "./projection.ts";

/** How a task is; all but the first two are ends. */
export type TaskStatus = "queued" | "running" | "completed" | "timeout" | "cancelled" | "failed" | "lost";

type Queued = FactData<"subagent.queued">;

/** A task as the facts of its session tell it. */
export interface StoredTask extends Queued {
  readonly status: TaskStatus;
  /** Epoch milliseconds, like the others. */
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The answer of a completed one. */
  readonly text: string | null;
  /** What was known at an end of another kind. */
  readonly partialText: string | null;
  /** What a failed one failed by. */
  readonly failure: FactData<"subagent.failed">["class"] | null;
  /** A call told the model how it ended. */
  readonly isShown: boolean;
}

/** In the order of their queueing. */
export type Tasks = Readonly<Record<string, StoredTask>>;

/** The facts that end a task. */
export type TaskEnd =
  | "subagent.completed"
  | "subagent.timed_out"
  | "subagent.cancelled"
  | "subagent.failed"
  | "subagent.lost";

type TaskFact = "subagent.queued" | "subagent.started" | TaskEnd | "subagent.reported";

const ends: ReadonlySet<string> = new Set<TaskEnd>([
  "subagent.completed",
  "subagent.timed_out",
  "subagent.cancelled",
  "subagent.failed",
  "subagent.lost",
]);

/** Whether a fact of this type ends a task. */
export function isTaskEnd(type: string): type is TaskEnd {
  return ends.has(type);
}

/** Whether a task has come to its end. */
export function hasTaskEnded({ status }: Pick<StoredTask, "status">): boolean {
  return status !== "queued" && status !== "running";
}

/** The status that a fact gives a task. */
export function taskStatusOf(type: Exclude<TaskFact, "subagent.reported">): TaskStatus {
  switch (type) {
    case "subagent.queued":
      return "queued";
    case "subagent.started":
      return "running";
    case "subagent.completed":
      return "completed";
    case "subagent.timed_out":
      return "timeout";
    case "subagent.cancelled":
      return "cancelled";
    case "subagent.failed":
      return "failed";
    case "subagent.lost":
      return "lost";
  }
}

/** Folds the tasks of one session. */
export const tasks: Projection<Tasks, TaskFact> = {
  name: "tasks",
  version: 1,
  initial: {},
  types: {
    "subagent.queued": true,
    "subagent.started": true,
    "subagent.completed": true,
    "subagent.timed_out": true,
    "subagent.cancelled": true,
    "subagent.failed": true,
    "subagent.lost": true,
    "subagent.reported": true,
  },
  fold,
};

function fold(state: Tasks, fact: FactOf<TaskFact>): Tasks {
  switch (fact.type) {
    case "subagent.queued":
      return {
        ...state,
        [fact.data.taskId]: {
          ...fact.data,
          status: "queued",
          queuedAt: fact.at,
          startedAt: null,
          endedAt: null,
          text: null,
          partialText: null,
          failure: null,
          isShown: false,
        },
      };
    case "subagent.started":
      return changed(state, fact.data.taskId, { status: "running", startedAt: fact.at });
    case "subagent.completed":
      return ended(state, fact, { text: fact.data.text });
    case "subagent.timed_out":
    case "subagent.lost":
      return ended(state, fact, { partialText: fact.data.partialText });
    case "subagent.failed":
      return ended(state, fact, { partialText: fact.data.partialText, failure: fact.data.class });
    case "subagent.cancelled":
      return ended(state, fact, { isShown: fact.data.callId !== null });
    case "subagent.reported":
      return fact.data.taskIds.reduce((sum, id) => changed(sum, id, { isShown: true }), state);
  }
}

/** The first end is the end. */
function ended(state: Tasks, fact: FactOf<TaskEnd>, told: Partial<StoredTask>): Tasks {
  const task = state[fact.data.taskId];
  if (task === undefined || hasTaskEnded(task)) return state;
  return changed(state, fact.data.taskId, { ...told, status: taskStatusOf(fact.type), endedAt: fact.at });
}

function changed(state: Tasks, taskId: string, change: Partial<StoredTask>): Tasks {
  const task = state[taskId];
  return task === undefined ? state : { ...state, [taskId]: { ...task, ...change } };
}
