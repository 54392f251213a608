/**
 * Changes of a todo list: from what a caller gave to the list that is kept. Pure; the time is handed in.
 * docs/reference/todos.md, "What is written"
 */
import { isDeepStrictEqual } from "node:util";
import type { Todo } from "../../projections/index.ts";
import { assertSessionId } from "../session-id.ts";
import { TodoError } from "./errors.ts";
import { assertItem, membersOf, readItem, todoLimits, todoStatuses, type GivenTodo } from "./item.ts";

/** A change of a list, at a time. ISO 8601 in UTC with milliseconds. */
export type TodoChange = (list: readonly Todo[], now: string) => readonly Todo[];

function assertList(list: unknown): asserts list is readonly unknown[] {
  if (Array.isArray(list)) return;
  throw new TodoError("invalid_todos", "todos: is no list, expected a list of todos", {
    field: "/todos",
    expected: "a list of todos",
    got: list === null ? "null" : typeof list,
  });
}

/**
 * Puts a list in the place of the one that is there.
 *
 * @throws TodoError `invalid_todos`, `duplicate_todo_id`; InvalidSessionIdError. The first that applies, in the order of
 * docs/reference/todos.md
 */
export function putTodos(given: unknown, sessionId: unknown): TodoChange {
  assertList(given);
  assertSessionId(sessionId);
  if (given.length > todoLimits.items) {
    const expected = `at most ${todoLimits.items}`;
    throw new TodoError("invalid_todos", `todos: has ${given.length} items, expected ${expected}`, {
      field: "/todos",
      expected,
    });
  }
  // From, since a hole is an item too: it is none.
  const items = Array.from(given, readItem);
  assertUnique(items);
  return (list, now) => {
    const before = new Map(list.map((todo) => [todo.id, todo]));
    return items.map((item) => timed(item, before.get(item.id), now));
  };
}

/**
 * Changes what is given of one todo, its id apart.
 *
 * @throws TodoError `invalid_todos`; the change throws TodoError `todo_not_found`, `invalid_todos`
 */
export function updateTodo(given: unknown, sessionId: unknown): TodoChange {
  assertItem(given, 0);
  assertSessionId(sessionId);
  const members = membersOf(given);
  // Read as an item of its own it says first what is wrong with it, whatever the list holds.
  const { id } = readItem({ content: "unchanged", ...Object.fromEntries(members) }, 0);
  const isCleared = given["estimatedEffort"] === null || given["estimated_effort"] === null;
  if (isCleared && !members.has("estimatedEffort")) members.set("estimatedEffort", null);
  return (list, now) => {
    const old = find(list, id);
    const item = readItem({ ...old, ...Object.fromEntries(members) }, 0);
    return list.map((todo) => (todo === old ? timed(item, old, now) : todo));
  };
}

/** @throws TodoError `invalid_status`; the change throws TodoError `todo_not_found` */
export function setTodoStatus(id: string, status: string): TodoChange {
  if (!(todoStatuses as readonly string[]).includes(status)) {
    const expected = todoStatuses.join(", ");
    throw new TodoError("invalid_status", `status: is no status of a todo, expected one of ${expected}`, {
      field: "status",
      expected,
      got: typeof status,
    });
  }
  return (list, now) => {
    const old = find(list, typeof id === "string" ? id.trim() : id);
    return list.map((todo) => (todo === old ? timed({ ...old, status }, old, now) : todo));
  };
}

function find(list: readonly Todo[], id: string): Todo {
  const found = list.find((todo) => todo.id === id);
  if (found === undefined)
    throw new TodoError("todo_not_found", "there is no todo with this id in the list", { field: "id" });
  return found;
}

function assertUnique(items: readonly GivenTodo[]): void {
  const places = new Map<string, number>();
  items.forEach(({ id }, at) => {
    const first = places.get(id);
    if (first !== undefined) {
      const expected = "an id that no other todo has";
      const what = `id is that of todo ${first + 1} too`;
      throw new TodoError("duplicate_todo_id", `todo ${at + 1}: ${what}, expected ${expected}`, {
        field: `/todos/${at}/id`,
        expected,
      });
    }
    places.set(id, at);
  });
}

/** What was there keeps its times as far as they still hold. */
function timed(item: GivenTodo, old: Todo | undefined, now: string): Todo {
  const isDone = item.status === "completed";
  const wasDone = old?.status === "completed";
  const todo: Todo = {
    ...item,
    createdAt: old?.createdAt ?? now,
    updatedAt: old?.updatedAt ?? now,
    completedAt: isDone ? ((wasDone ? old.completedAt : null) ?? now) : null,
  };
  if (old === undefined || isDeepStrictEqual(todo, { ...old })) return todo;
  return { ...todo, updatedAt: now };
}
