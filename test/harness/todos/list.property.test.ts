import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LemonError } from "../../../src/errors.ts";
import { putTodos, setTodoStatus, updateTodo } from "../../../src/harness/index.ts";
import { actionableTodos, blockingTodos, todoProgress, type Todo } from "../../../src/projections/index.ts";
import { rounds } from "../../support/soak.ts";

const at = (second: number): string => new Date(second * 1_000).toISOString();
const statuses = ["pending", "in_progress", "completed", "blocked"] as const;
const id = fc.constantFrom("a", "b", "c", "d", "e");

/** A todo in which each field may be wrong. */
const given = fc.record(
  {
    id: fc.constantFrom<unknown>("a", " b ", "c", "", "  ", 5, null, "x".repeat(129)),
    content: fc.constantFrom<unknown>("work", "", 5, null, "x".repeat(4_001)),
    status: fc.constantFrom<unknown>(...statuses, "done", 5, null),
    priority: fc.constantFrom<unknown>("high", "low", "urgent", null),
    dependencies: fc.constantFrom<unknown>([], ["a"], [" "], "a", null, Array(101).fill("a")),
    metadata: fc.constantFrom<unknown>({}, [], { m: "x".repeat(9_000) }, null),
  },
  { requiredKeys: [] },
);
const item = fc.oneof(
  { weight: 9, arbitrary: given },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(5, null, []) },
);

type Item = Readonly<Record<string, unknown>>;
type Check = readonly [field: string, isWrong: (item: Item) => boolean];

const isBlank = (value: unknown): boolean => typeof value !== "string" || value.trim() === "";
const isNone = (words: readonly string[], value: unknown): boolean =>
  value !== undefined && value !== null && !words.includes(value as string);
const isLong = (value: unknown, limit: number): boolean =>
  typeof value === "string" && value.trim().length > limit;

/** The rules as the page lists them, one after the other. */
const rules: readonly Check[] = [
  ["id", (todo) => isBlank(todo["id"])],
  ["content", (todo) => isBlank(todo["content"])],
  ["status", (todo) => isNone(statuses, todo["status"])],
  ["priority", (todo) => isNone(["high", "medium", "low"], todo["priority"])],
  [
    "dependencies",
    ({ dependencies: list = null }) =>
      list !== null && !(Array.isArray(list) && list.every((one) => !isBlank(one))),
  ],
  ["metadata", (todo) => Array.isArray(todo["metadata"])],
  ["id", (todo) => isLong(todo["id"], 128)],
  ["content", (todo) => isLong(todo["content"], 4_000)],
  ["dependencies", ({ dependencies: list }) => Array.isArray(list) && list.length > 100],
  ["metadata", (todo) => JSON.stringify(todo["metadata"] ?? {}).length > 8_192],
];

/** What should be said first, by looking at each rule in turn. */
function expectedRefusal(items: readonly unknown[]): string | null {
  for (const [place, todo] of items.entries()) {
    if (typeof todo !== "object" || todo === null || Array.isArray(todo))
      return `invalid_todos /todos/${place}`;
    for (const [field, isWrong] of rules)
      if (isWrong(todo as Item)) return `invalid_todos /todos/${place}/${field}`;
  }
  const ids = items.map((todo) => ((todo as Item)["id"] as string).trim());
  const twice = ids.findIndex((one, place) => ids.indexOf(one) < place);
  return twice < 0 ? null : `duplicate_todo_id /todos/${twice}/id`;
}

function refusal(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof LemonError)) throw error;
    // Which of the dependencies is wrong is no matter of order.
    return `${error.reason} ${error.field?.replace(/\/dependencies\/\d+$/, "/dependencies")}`;
  }
}

/** A list as it is kept. */
const kept = fc
  .uniqueArray(
    fc.record({
      id,
      content: fc.constantFrom("x", "y"),
      status: fc.constantFrom(...statuses),
      priority: fc.constantFrom("high", "medium", "low"),
      dependencies: fc.array(fc.constantFrom("a", "b", "c", "d", "e", "gone"), { maxLength: 3 }),
    }),
    { selector: (todo) => todo.id },
  )
  .map((list) => putTodos(list, "s")([], at(0)));

describe("a todo list", () => {
  test("the first rule that is broken is the one that is told", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), (items) => {
        expect(refusal(() => putTodos(items, "s"))).toBe(expectedRefusal(items));
      }),
      { numRuns: rounds(300, 3_000, 30_000) },
    );
  });

  test("what can be begun is what a look at every todo and dependency finds, in order", () => {
    fc.assert(
      fc.property(kept, (list) => {
        const isDone = (wanted: string): boolean =>
          list.some((todo) => todo.id === wanted && todo.status === "completed");
        const ready = list.filter(
          ({ status, dependencies }) =>
            (status === "pending" || status === "in_progress") && dependencies.every(isDone),
        );
        const byRank = ["high", "medium", "low"].flatMap((rank) =>
          ready.filter(({ priority }) => priority === rank),
        );
        expect(actionableTodos(list)).toEqual(byRank);
        const open = list.filter(({ status }) => status !== "completed");
        const holding = open.filter(({ id: one }) =>
          open.some(({ dependencies }) => dependencies.includes(one)),
        );
        expect(blockingTodos(list)).toEqual(holding);
        const { total, completed, inProgress, blocked, pending, percentage } = todoProgress(list);
        expect(completed + inProgress + blocked + pending).toBe(total);
        expect([total, percentage]).toEqual([
          list.length,
          list.length === 0 ? 0 : Math.floor((100 * completed) / list.length),
        ]);
      }),
      { numRuns: rounds(300, 3_000, 30_000) },
    );
  });

  test("times only move when something happens to a todo, and writing a list again changes nothing", () => {
    const change = fc.oneof(
      fc.record({ id, status: fc.constantFrom(...statuses) }),
      fc.record({ id, content: fc.constantFrom("x", "y") }),
    );
    fc.assert(
      fc.property(kept, fc.array(change, { maxLength: 8 }), (first, changes) => {
        let list: readonly Todo[] = first;
        changes.forEach((wanted, index) => {
          const now = at(index + 1);
          if (!list.some((todo) => todo.id === wanted.id)) return;
          const next =
            "status" in wanted
              ? setTodoStatus(wanted.id, wanted.status)(list, now)
              : updateTodo(wanted, "s")(list, now);
          next.forEach((todo) => {
            const old = list.find((one) => one.id === todo.id);
            if (old === undefined) throw new Error("a todo that was not there");
            const { updatedAt, completedAt, ...rest } = todo;
            const { updatedAt: oldUpdate, completedAt: oldCompletion, ...oldRest } = old;
            const isSame = JSON.stringify(rest) === JSON.stringify(oldRest);
            expect(updatedAt).toBe(isSame ? oldUpdate : now);
            const stayedDone = todo.status === "completed" && old.status === "completed";
            expect(completedAt).toBe(todo.status === "completed" ? (stayedDone ? oldCompletion : now) : null);
            expect(todo.createdAt).toBe(old.createdAt);
          });
          list = next;
        });
        expect(putTodos(list, "s")(list, at(99))).toEqual(list);
      }),
      { numRuns: rounds(200, 2_000, 20_000) },
    );
  });

  test("a circle of a thousand todos is looked through at once", () => {
    const places = Array.from({ length: 1_000 }, (_, place) => place);
    const circle = places.flatMap((place) => {
      const todo = { id: `t${place}`, content: "x", dependencies: [`t${(place + 1) % 1_000}`] };
      return putTodos([todo], "s")([], at(0));
    });
    const before = performance.now();
    expect([actionableTodos(circle), blockingTodos(circle).length]).toEqual([[], 1_000]);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
