import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  actionable,
  dependencyProblems,
  percentage,
  type DependencyProblem,
  type WorkItem,
} from "../../src/projections/index.ts";

const item = (id: string, more: Partial<WorkItem> = {}): WorkItem => ({
  id,
  status: "pending",
  priority: "medium",
  dependencies: [],
  ...more,
});
const ids = (items: readonly WorkItem[]): string[] => items.map(({ id }) => id);

describe("what can be begun", () => {
  test("high comes before medium before low, and else the order of the list holds", () => {
    const items = [
      item("a", { priority: "low" }),
      item("b"),
      item("c", { priority: "high" }),
      item("d", { status: "in_progress" }),
      item("e", { priority: "urgent" }),
      item("f", { priority: "high" }),
    ];
    expect(ids(actionable(items))).toEqual(["c", "f", "b", "d", "a", "e"]);
  });

  test("completed, failed and blocked items are not begun", () => {
    const items = ["completed", "failed", "blocked", "pending", "in_progress"].map((status) =>
      item(status, { status }),
    );
    expect(ids(actionable(items))).toEqual(["pending", "in_progress"]);
  });

  test("a missing, failed, cyclic or own dependency keeps an item out, a completed one does not", () => {
    const items = [
      item("done", { status: "completed" }),
      item("failed", { status: "failed" }),
      item("ready", { dependencies: ["done"] }),
      item("on missing", { dependencies: ["nothing"] }),
      item("on failed", { dependencies: ["done", "failed"] }),
      item("on itself", { dependencies: ["on itself"] }),
      item("there", { dependencies: ["back"] }),
      item("back", { dependencies: ["there"] }),
    ];
    expect(ids(actionable(items))).toEqual(["ready"]);
  });

  test("one completed duplicate is enough", () => {
    const items = [item("a"), item("a", { status: "completed" }), item("b", { dependencies: ["a"] })];
    expect(ids(actionable(items))).toEqual(["a", "b"]);
  });
});

describe("what is wrong", () => {
  test("each kind, in the order of the list", () => {
    const items = [
      item("a", { dependencies: ["nothing", "b", "nothing"] }),
      item("b", { dependencies: ["c"] }),
      item("c", { status: "failed", dependencies: ["b"] }),
      item("b", { dependencies: ["b"] }),
    ];
    expect(dependencyProblems(items)).toEqual([
      { id: "a", kind: "missing", dependency: "nothing" },
      { id: "b", kind: "cycle", dependency: "c" },
      { id: "b", kind: "failed", dependency: "c" },
      { id: "c", kind: "cycle", dependency: "b" },
      { id: "b", kind: "duplicate", dependency: null },
      { id: "b", kind: "cycle", dependency: "b" },
    ]);
  });

  test("of an id that one item failed and another did not, nothing is failed", () => {
    const items = [item("a", { status: "failed" }), item("a"), item("b", { dependencies: ["a"] })];
    expect(dependencyProblems(items).map(({ kind }) => kind)).toEqual(["duplicate"]);
  });
});

test("percentages are floored, and 0 of nothing", () => {
  expect([percentage(0, 0), percentage(2, 3), percentage(199, 200), percentage(3, 3)]).toEqual([
    0, 66, 99, 100,
  ]);
});

/** Few ids, `__proto__` among them, so that duplicates and cycles are common. */
const anyId = fc.constantFrom("a", "b", "c", "d", "e", "f", "__proto__", "constructor");
const anyItems = fc.array(
  fc.record({
    id: anyId,
    status: fc.constantFrom("pending", "in_progress", "completed", "failed", "blocked", "odd"),
    priority: fc.constantFrom("high", "medium", "low", "odd"),
    dependencies: fc.array(anyId, { maxLength: 3 }),
  }),
  { maxLength: 9 },
);

test("what can be begun is what looking at each pair says", () => {
  const rank = (priority: string): number => ["high", "medium"].indexOf(priority) & 3; // -1 is last
  fc.assert(
    fc.property(anyItems, (items) => {
      const isDone = (id: string): boolean =>
        items.some((other) => other.id === id && other.status === "completed");
      const expected = items
        .filter(({ status }) => ["pending", "in_progress", "odd"].includes(status))
        .filter(({ dependencies }) => dependencies.every(isDone))
        .map((each, at) => ({ each, at }))
        .sort((x, y) => rank(x.each.priority) - rank(y.each.priority) || x.at - y.at)
        .map(({ each }) => each);
      expect(actionable(items)).toEqual(expected);
    }),
  );
});

test("problems are what following every dependency says", () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const named = (id: string): WorkItem[] => items.filter((other) => other.id === id);
      const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
        if (seen.has(from)) return false;
        seen.add(from);
        const targets = named(from).flatMap(({ dependencies }) => dependencies);
        return targets.some((id) => id === to || reaches(id, to, seen));
      };
      const expected: DependencyProblem[] = [];
      for (const [at, { id, dependencies }] of items.entries()) {
        const add = (kind: DependencyProblem["kind"], dependency: string | null): void =>
          void expected.push({ id, kind, dependency });
        if (items.slice(0, at).some((other) => other.id === id)) add("duplicate", null);
        for (const dependency of new Set(dependencies)) {
          const targets = named(dependency);
          if (targets.length === 0) add("missing", dependency);
          else if (dependency === id || reaches(dependency, id)) add("cycle", dependency);
          if (targets.length > 0 && targets.every(({ status }) => status === "failed"))
            add("failed", dependency);
        }
      }
      expect(dependencyProblems(items)).toEqual(expected);
    }),
  );
});

test("a chain and a cycle of many thousands take steps in proportion", () => {
  const looks = (length: number): number => {
    let count = 0;
    const seen = (at: number): WorkItem => {
      const each = item(`f${at}`, { dependencies: [`f${(at + 1) % length}`] });
      return new Proxy(each, {
        get: (target, name, receiver) => ((count += 1), Reflect.get(target, name, receiver) as unknown),
      });
    };
    const items = Array.from({ length }, (_, at) => seen(at));
    expect(dependencyProblems(items).length).toBe(length);
    actionable(items);
    return count;
  };
  // Counted, since a clock tells of the machine as well.
  expect(looks(50_000)).toBe(10 * looks(5_000));
});
