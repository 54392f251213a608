/** The tool of todos in a session. */
import { beforeEach, expect, test } from "vitest";
import type { FactData } from "../../../src/events/index.ts";
import type { EventLog } from "../../../src/log/index.ts";
import { todoTool } from "../../../src/tools/built-in/todo.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { factsOf, gate, probeExtension, scriptedRuntime } from "../../support/runtimes.ts";
import { textOf, workbench } from "../../tools/context.ts";

let log: EventLog;
beforeEach(async () => {
  log = await memoryLog();
});

const call = (args: object): { name: string; args: object } => ({ name: "todo", args });
const list = (...ids: string[]): object[] => ids.map((id) => ({ id, content: `work ${id}` }));

/** Runs one answer of todo calls in session `s`. @returns what each call returned, as text and details */
async function calls(...args: readonly object[]) {
  const runtime = await scriptedRuntime(log, [{ toolCalls: args.map(call) }, { text: "done" }], {
    clock: new ManualClock(),
  });
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s", approval: "ask" });
  expect((await session.prompt("go")).status).toBe("completed");
  expect((await runtime.replay.verify("s")).divergences).toEqual([]);
  const todos = await runtime.todos.get("s");
  await runtime.close();
  const facts = await factsOf(log, "session-s");
  const results = facts
    .filter(({ type }) => type === "tool_call.returned")
    .map(({ data }) => data as FactData<"tool_call.returned">)
    .map(({ content, details, isError }) => ({
      texts: content.map((block) => (block.type === "text" ? block.text : "")),
      details,
      isError,
    }));
  return { facts, todos, results };
}

test("what a call writes is recorded as its own, and each action shows what was asked", async () => {
  const { facts, results, todos } = await calls(
    { action: "write", todos: [...list("a"), { id: "b", content: "B", priority: "high" }] },
    { action: "update", todo: { id: "a", status: "completed" } },
    { action: "read" },
    { action: "progress" },
    { action: "actionable" },
  );
  const written = facts.filter(({ type }) => type === "todos.written");
  expect(written).toMatchObject([
    { kind: "input", data: { action: "put", todos: [{ status: "pending" }, {}] } },
    { kind: "input", data: { action: "update", todos: [{ status: "completed" }, {}] } },
  ]);
  for (const { causation, correlation, data } of written) {
    const started = facts.find(({ version }) => version === causation);
    expect(started?.type).toBe("tool_call.started");
    expect(correlation).toBe(started?.correlation);
    expect((data as FactData<"todos.written">).callId).toBe(
      (started?.data as FactData<"tool_call.started"> | undefined)?.callId,
    );
  }
  expect(results.map(({ details }) => details?.["title"])).toEqual([
    "2 open todos",
    "1 open todos",
    "1 open todos",
    "todo progress",
    "1 actionable todos",
  ]);
  const counts = { total: 2, completed: 1, inProgress: 0, blocked: 0, pending: 1, percentage: 50 };
  expect(results.map(({ texts }) => texts)).toEqual(
    [written[0], written[1], written[1], null, null].map((fact, at) => [
      JSON.stringify(
        fact === null
          ? [counts, todos.slice(1)][at - 3]
          : (fact?.data as FactData<"todos.written"> | undefined)?.todos,
        null,
        2,
      ),
    ]),
  );
  expect(results[3]?.details).toEqual({ title: "todo progress", progress: counts, dependencyProblems: [] });
  expect(results[4]?.details).toEqual({
    title: "1 actionable todos",
    todos: todos.slice(1),
    dependencyProblems: [],
  });
});

test("a refusal says which todo is wrong, is no schema's, and stores nothing", async () => {
  const { facts, results, todos } = await calls(
    { action: "write", todos: list("kept") },
    { action: "write", todos: [{ id: "a" }] },
    { action: "write", todos: { id: "a" } },
    { action: "write" },
    { action: "write", todos: list("a", "a") },
    { action: "update", todo: { id: "z" } },
    { action: "update" },
    { action: "zap" },
    {},
  );
  expect(
    results.slice(1).map(({ isError, texts, details }) => [isError, details?.["errorType"], ...texts]),
  ).toEqual([
    [true, "invalid_todos", "todo 1: content is missing, expected a text that is not blank"],
    [true, "invalid_todos", "todos: is no list, expected a list of todos"],
    [true, "invalid_todos", "todos: is no list, expected a list of todos"],
    [true, "duplicate_todo_id", "todo 2: id is that of todo 1 too, expected an id that no other todo has"],
    [true, "todo_not_found", "there is no todo with this id in the list"],
    [true, "invalid_todos", "todo 1: is no object, expected an object"],
    [true, "invalid_action", "action: is not known, expected read, write, update, progress or actionable"],
    [true, "invalid_action", "action: is missing, expected read, write, update, progress or actionable"],
  ]);
  expect(todos.map(({ id }) => id)).toEqual(["kept"]);
  expect(facts.filter(({ type }) => type === "todos.written")).toHaveLength(1);
});

test("a list that the model wrote as a text is read", async () => {
  const { todos } = await calls({ action: "write", todos: JSON.stringify(list("a")) });
  expect(todos.map(({ id }) => id)).toEqual(["a"]);
});

test("a list with problems is stored, and a second text names them", async () => {
  const waiting = [
    { id: "a", content: "A", dependencies: ["b"] },
    { id: "b", content: "B", dependencies: ["a"] },
    { id: "c", content: "C", dependencies: ["gone", "c"] },
  ];
  const { results, todos } = await calls({ action: "write", todos: waiting }, { action: "progress" });
  expect(todos).toHaveLength(3);
  for (const { texts, details } of results) {
    expect(texts[1]).toBe(
      [
        "Some todos can't become actionable as things are:",
        "- a and b wait for each other: a depends on b, which leads back to it (a cycle)",
        "- b and a wait for each other: b depends on a, which leads back to it (a cycle)",
        "- c depends on gone, which is not in the list",
        "- c waits for itself",
      ].join("\n"),
    );
    expect(details?.["dependencyProblems"]).toHaveLength(4);
  }
});

test("problems beyond twenty are counted", async () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    id: `t${at}`,
    content: "x",
    dependencies: ["gone"],
  }));
  const { results } = await calls({ action: "write", todos: many });
  expect(results[0]?.texts[1]?.split("\n")).toHaveLength(22);
  expect(results[0]?.texts[1]).toContain("- and 10 more of the kind");
});

test("a call that is aborted before it begins writes nothing, whatever it asks", async () => {
  const bench = workbench();
  const result = await bench.run(todoTool, { action: "zap" }, { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ isError: true, details: { errorType: "aborted" } });
  expect(textOf(result)).toBe("Operation aborted");
});

test("outside of a session the tool has nowhere to write", async () => {
  const bench = workbench();
  const context = { sessionId: "" };
  const bad = await bench.run(todoTool, { action: "write", todos: [] }, { context });
  expect(bad.details).toEqual({ errorType: "invalid_session_id" });
  const worse = await bench.run(todoTool, { action: "write", todos: 1 }, { context });
  expect(worse.details).toEqual({ errorType: "invalid_todos" });
});

test("changes of calls and of callers at the same time lose nothing", async () => {
  const begun = gate();
  const held = gate<string>();
  const runtime = await scriptedRuntime(
    log,
    [
      {
        toolCalls: [
          call({ action: "write", todos: list("t0", "t1", "t2") }),
          { name: "probe", args: { name: "x" } },
          ...[0, 1, 2].map((at) => call({ action: "update", todo: { id: `t${at}`, priority: "high" } })),
        ],
      },
      { text: "done" },
    ],
    {
      extensions: [
        probeExtension(() => {
          begun.open();
          return held.promise;
        }),
      ],
    },
  );
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  const running = session.prompt("go");
  await begun.promise;
  held.open("on");
  const said = [0, 1, 2].map((at) => runtime.todos.updateStatus("s", `t${at}`, "completed"));
  await Promise.all([running, ...said]);
  expect((await runtime.todos.get("s")).map(({ priority, status }) => [priority, status])).toEqual(
    Array(3).fill(["high", "completed"]),
  );
  expect((await runtime.replay.verify("s")).divergences).toEqual([]);
  await runtime.close();
});

test("plan mode keeps the tool, and the list outlives it", async () => {
  const runtime = await scriptedRuntime(log, [
    { toolCalls: [call({ action: "write", todos: list("a") })] },
    { text: "planned" },
  ]);
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  await session.planMode.enter();
  await session.prompt("plan");
  await session.planMode.exit();
  expect((await runtime.todos.get("s")).map(({ id }) => id)).toEqual(["a"]);
  await runtime.close();
});
