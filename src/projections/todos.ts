/** A session's todo list, and what follows from it. docs/reference/todos.md */
import type { FactData } from "../events/index.ts";
import type { Projection } from "./projection.ts";
import {
  actionable,
  dependencyProblems,
  percentage,
  type DependencyProblem,
  type WorkItem,
} from "./work-order.ts";

/** An item of a todo list, as a fact holds it: other members than these stay as they were given. */
export type Todo = FactData<"todos.written">["todos"][number];

/** How many todos there are of each status. The four counts add up to `total`. */
export interface TodoProgress {
  readonly total: number;
  readonly completed: number;
  readonly inProgress: number;
  readonly blocked: number;
  readonly pending: number;
  /** Completed ones of a hundred, rounded down; 0 without any. */
  readonly percentage: number;
}

/** The todo list of a session. Each fact holds the whole list, so the last one is the list. */
export const todos: Projection<readonly Todo[], "todos.written"> = {
  name: "todos",
  version: 1,
  initial: [],
  types: { "todos.written": true },
  fold: (_list, fact) => fact.data.todos,
};

/** Counts a list. A status that is none counts as `pending`. */
export function todoProgress(list: readonly Todo[]): TodoProgress {
  const count = (status: string): number => list.filter((todo) => statusOf(todo) === status).length;
  const completed = count("completed");
  return {
    total: list.length,
    completed,
    inProgress: count("in_progress"),
    blocked: count("blocked"),
    pending: count("pending"),
    percentage: percentage(completed, list.length),
  };
}

/** The todos that can be begun: high priority first, then medium, then low, each in the order of the list. */
export function actionableTodos(list: readonly Todo[]): Todo[] {
  return actionable(list.map((todo) => ({ ...workOf(todo), todo }))).map(({ todo }) => todo);
}

/** The todos that are not completed and that some todo which is not completed waits for, in the order of the list. */
export function blockingTodos(list: readonly Todo[]): Todo[] {
  const open = list.filter((todo) => statusOf(todo) !== "completed");
  const awaited = new Set(open.flatMap((todo) => workOf(todo).dependencies));
  return open.filter(({ id }) => awaited.has(id));
}

/** Whether nothing is left to do, as is so of an empty list. */
export function allTodosCompleted(list: readonly Todo[]): boolean {
  return list.every((todo) => statusOf(todo) === "completed");
}

/** Dependencies that can't be met as things are: `missing` ones, and those in a `cycle`. In the order of the list. */
export function todoProblems(list: readonly Todo[]): DependencyProblem[] {
  return dependencyProblems(list.map(workOf));
}

const statuses: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed", "blocked"]);

function statusOf({ status }: Todo): string {
  return statuses.has(status) ? status : "pending";
}

/** A fact of another version may hold what no list of today may. */
function workOf(todo: Todo): WorkItem {
  const { id, priority, dependencies } = todo;
  return {
    id,
    priority,
    status: statusOf(todo),
    dependencies: Array.isArray(dependencies) ? dependencies : [],
  };
}
