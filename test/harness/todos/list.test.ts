import { describe, expect, test } from "vitest";
import { putTodos, setTodoStatus, updateTodo } from "../../../src/harness/index.ts";
import {
  actionableTodos,
  allTodosCompleted,
  blockingTodos,
  todoProblems,
  todoProgress,
  type Todo,
} from "../../../src/projections/index.ts";

const at = (second: number): string => `2026-11-30T12:00:0${second}.000Z`;
const item = (more: object = {}): object => ({ id: "a", content: "work", ...more });
const put = (list: unknown, before: readonly Todo[] = [], now = at(0)): readonly Todo[] =>
  putTodos(list, "s")(before, now);
const refusal = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    const { reason, message, field } = error as { reason: string; message: string; field?: string };
    return [reason, message, field];
  }
  return null;
};

describe("what is written", () => {
  test("what is missing gets its default, ids lose their blanks, other members stay", () => {
    const given = {
      id: " a ",
      content: " do it ",
      dependencies: [" b "],
      link: { to: ["x", null] },
      none: null,
    };
    expect(put([given])).toEqual([
      {
        id: "a",
        content: " do it ",
        status: "pending",
        priority: "medium",
        dependencies: ["b"],
        estimatedEffort: null,
        metadata: {},
        createdAt: at(0),
        updatedAt: at(0),
        completedAt: null,
        link: { to: ["x", null] },
        none: null,
      },
    ]);
    const nothing = {
      status: null,
      priority: null,
      dependencies: null,
      estimatedEffort: null,
      metadata: null,
    };
    expect(put([item(nothing)])).toEqual(put([item()]));
    expect(put([item({ none: undefined, metadata: { gone: undefined } })])).toEqual(put([item()]));
  });

  test("the spelling with underscores is read, and the own spelling wins wherever it stands", () => {
    expect(put([item({ estimated_effort: "2h" })])).toMatchObject([{ estimatedEffort: "2h" }]);
    for (const both of [
      { estimated_effort: "2h", estimatedEffort: "1h" },
      { estimatedEffort: "1h", estimated_effort: "2h" },
    ]) {
      const [todo] = put([item(both)]);
      expect(todo).toMatchObject({ estimatedEffort: "1h" });
      expect(todo).not.toHaveProperty("estimated_effort");
    }
  });

  test("times are the store's: what a caller says of them counts for nothing", () => {
    const said = { createdAt: at(9), updated_at: at(9), completed_at: at(9) };
    expect(put([item(said)])).toEqual(put([item()]));
  });

  test("a known id keeps its creation, and changes its time only with its content", () => {
    const before = put([item(), item({ id: "b" })]);
    const after = put([item({ content: "other work" }), item({ id: "b" }), item({ id: "c" })], before, at(1));
    expect(after.map(({ id, createdAt, updatedAt }) => [id, createdAt, updatedAt])).toEqual([
      ["a", at(0), at(1)],
      ["b", at(0), at(0)],
      ["c", at(1), at(1)],
    ]);
    expect(put(after, after, at(2))).toEqual(after);
  });

  test("completion is dated when it happens, kept while it lasts, and gone when it is taken back", () => {
    const done = put([item({ status: "completed" })], put([item()]), at(1));
    expect(done).toMatchObject([{ completedAt: at(1), updatedAt: at(1) }]);
    const reworded = put([item({ status: "completed", content: "x" })], done, at(2));
    expect(reworded).toMatchObject([{ completedAt: at(1), updatedAt: at(2) }]);
    const reopened = setTodoStatus("a", "in_progress")(reworded, at(3));
    expect(reopened).toMatchObject([{ completedAt: null, updatedAt: at(3), status: "in_progress" }]);
  });

  test("an update changes what it names and nothing else", () => {
    const before = put([item({ estimatedEffort: "1h", link: "x" }), item({ id: "b" })]);
    const update = (todo: object): readonly Todo[] => updateTodo(todo, "s")(before, at(1));
    expect(update({ id: " a ", status: "completed" })).toEqual([
      { ...before[0], status: "completed", updatedAt: at(1), completedAt: at(1) },
      before[1],
    ]);
    expect(update({ id: "a", estimated_effort: null, content: null })).toMatchObject([
      { estimatedEffort: null, content: "work", link: "x" },
      {},
    ]);
    expect(update({ id: "a", content: "work" })).toEqual(before);
    expect(refusal(() => update({ id: "z" }))).toContain("todo_not_found");
    expect(refusal(() => update({ id: "z", status: "no" }))).toContain("invalid_todos");
    expect(refusal(() => updateTodo(null, "s"))).toContain("invalid_todos");
  });

  test("a member called __proto__ is a member", () => {
    const given = JSON.parse('[{"id":"a","content":"c","__proto__":{"status":"completed"}}]') as unknown;
    const [todo] = put(given);
    expect(todo?.status).toBe("pending");
    expect(Object.keys(todo ?? {})).toContain("__proto__");
    expect(Object.getPrototypeOf(todo)).toBe(Object.prototype);
  });
});

describe("what is refused", () => {
  const text = "expected a text that is not blank";
  const cases: [unknown, string, string, string][] = [
    ["nope", "invalid_todos", "todos: is no list, expected a list of todos", "/todos"],
    [null, "invalid_todos", "todos: is no list, expected a list of todos", "/todos"],
    [Array(501).fill(item()), "invalid_todos", "todos: has 501 items, expected at most 500", "/todos"],
    [[item(), 5], "invalid_todos", "todo 2: is no object, expected an object", "/todos/1"],
    [[[]], "invalid_todos", "todo 1: is no object, expected an object", "/todos/0"],
    [[{ content: "c" }], "invalid_todos", `todo 1: id is missing, ${text}`, "/todos/0/id"],
    [[item({ id: " " })], "invalid_todos", `todo 1: id is blank, ${text}`, "/todos/0/id"],
    [[item({ id: 5 })], "invalid_todos", `todo 1: id is no text, ${text}`, "/todos/0/id"],
    [[{ id: "a" }], "invalid_todos", `todo 1: content is missing, ${text}`, "/todos/0/content"],
    [
      [item({ status: "done" })],
      "invalid_todos",
      "todo 1: status is no status, expected pending, in_progress, completed or blocked",
      "/todos/0/status",
    ],
    [
      [item({ priority: "urgent" })],
      "invalid_todos",
      "todo 1: priority is no priority, expected high, medium or low",
      "/todos/0/priority",
    ],
    [
      [item({ dependencies: "b" })],
      "invalid_todos",
      "todo 1: dependencies is no list, expected a list of ids",
      "/todos/0/dependencies",
    ],
    [
      [item({ dependencies: ["b", " "] })],
      "invalid_todos",
      `todo 1: dependencies/1 is no id, ${text}`,
      "/todos/0/dependencies/1",
    ],
    [
      [item({ metadata: [] })],
      "invalid_todos",
      "todo 1: metadata is no object, expected an object",
      "/todos/0/metadata",
    ],
    [
      [item({ estimatedEffort: 2 })],
      "invalid_todos",
      "todo 1: estimatedEffort is no text, expected a text or null",
      "/todos/0/estimatedEffort",
    ],
    [[item({ link: () => 1 })], "invalid_todos", "todo 1: holds what is no JSON, expected JSON", "/todos/0"],
    [
      [item(), item({ id: "b" }), item({ id: " a" })],
      "duplicate_todo_id",
      "todo 3: id is that of todo 1 too, expected an id that no other todo has",
      "/todos/2/id",
    ],
  ];
  test.each(cases)("%j", (given, reason, message, field) => {
    expect(refusal(() => putTodos(given, "s"))).toEqual([reason, message, field]);
  });

  test("limits are inclusive, and count code points and bytes of JSON", () => {
    const json = (bytes: number): object => ({ m: "x".repeat(bytes - JSON.stringify({ m: "" }).length) });
    const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `d${index}`);
    const pairs: [object, object][] = [
      [{ id: "😀".repeat(128) }, { id: "😀".repeat(129) }],
      [{ content: "😀".repeat(4_000) }, { content: "😀".repeat(4_001) }],
      [{ dependencies: ids(100) }, { dependencies: ids(101) }],
      [{ metadata: json(8_192) }, { metadata: json(8_193) }],
      [json(8_192), json(8_193)],
    ];
    for (const [fits, isTooLarge] of pairs) {
      expect(refusal(() => putTodos([item(fits)], "s"))).toBeNull();
      expect(refusal(() => putTodos([item(isTooLarge)], "s"))).toContain("invalid_todos");
    }
    const many = (count: number): object[] => ids(count).map((id) => item({ id }));
    expect(refusal(() => putTodos(many(500), "s"))).toBeNull();
  });

  test("a list that is none comes before a bad session, and that before the number of items", () => {
    expect(refusal(() => putTodos(1, ""))).toContain("invalid_todos");
    expect(refusal(() => putTodos(Array(501).fill(1), ""))).toContain("invalid_session_id");
  });

  test("no message quotes what an item holds", () => {
    const secret = "hush-hush-hush";
    for (const more of [{ id: [secret] }, { status: secret }, { priority: secret }, { dependencies: secret }])
      expect(JSON.stringify(refusal(() => putTodos([item(more)], "s")))).not.toContain(secret);
    expect(JSON.stringify(refusal(() => setTodoStatus("a", secret)))).not.toContain(secret);
    expect(JSON.stringify(refusal(() => setTodoStatus(secret, "pending")([], at(0))))).not.toContain(secret);
  });

  test("a status that is none is refused before the todo is looked for", () => {
    expect(refusal(() => setTodoStatus("a", "done"))).toContain("invalid_status");
    expect(refusal(() => setTodoStatus("a", "blocked")([], at(0)))).toContain("todo_not_found");
  });
});

describe("what follows from a list", () => {
  const list = put([
    item({ id: "done", status: "completed" }),
    item({ id: "low", priority: "low", dependencies: ["done"] }),
    item({ id: "waits", dependencies: ["low"] }),
    item({ id: "high", priority: "high", status: "in_progress" }),
    item({ id: "stuck", status: "blocked", priority: "high", dependencies: ["gone"] }),
    item({ id: "self", dependencies: ["self"] }),
  ]);

  test("counts, what can be begun, what holds others up, what is wrong", () => {
    const counts = { total: 6, completed: 1, inProgress: 1, blocked: 1, pending: 3, percentage: 16 };
    expect(todoProgress(list)).toEqual(counts);
    expect(actionableTodos(list).map(({ id }) => id)).toEqual(["high", "low"]);
    expect(actionableTodos(list)[0]).toBe(list[3]);
    expect(blockingTodos(list).map(({ id }) => id)).toEqual(["low", "self"]);
    expect(todoProblems(list)).toEqual([
      { id: "stuck", kind: "missing", dependency: "gone" },
      { id: "self", kind: "cycle", dependency: "self" },
    ]);
    expect([allTodosCompleted(list), allTodosCompleted(list.slice(0, 1)), allTodosCompleted([])]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("a fact of another version is read as well as can be", () => {
    const odd = [
      { ...list[0], id: "x", status: "failed", priority: "urgent", dependencies: "done" },
      { ...list[0], id: "y", status: 7, priority: null, dependencies: null },
      list[1],
    ] as unknown as Todo[];
    expect(todoProgress(odd)).toMatchObject({ total: 3, pending: 3, completed: 0 });
    expect(actionableTodos(odd).map(({ id }) => id)).toEqual(["x", "y"]);
    expect(todoProblems(odd)).toEqual([{ id: "low", kind: "missing", dependency: "done" }]);
    expect(blockingTodos(odd)).toEqual([]);
  });
});
