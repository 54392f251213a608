/** `runtime.todos`. */
import { beforeEach, expect, test } from "vitest";
import type { EventLog } from "../../../src/log/index.ts";
import type { Runtime } from "../../../src/runtime/index.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { factsOf, scriptedRuntime } from "../../support/runtimes.ts";

let log: EventLog;
let runtime: Runtime;
beforeEach(async () => {
  log = await memoryLog();
  runtime = await scriptedRuntime(log, [{ text: "hello" }]);
  return () => runtime.close();
});

const list = (...ids: string[]): object[] => ids.map((id) => ({ id, content: `work ${id}` }));
const types = async (stream: string): Promise<string[]> =>
  (await factsOf(log, stream)).map(({ type }) => type);

test("a session that is not known has no todos, and can be given some before it is started", async () => {
  expect(await runtime.todos.get("s")).toEqual([]);
  expect(await runtime.todos.progress("s")).toMatchObject({ total: 0, percentage: 0 });
  expect(await runtime.todos.allCompleted("s")).toBe(true);
  const kept = await runtime.todos.put("s", list("a", "b"));
  expect(await runtime.todos.get("s")).toEqual(kept);
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  expect((await session.prompt("hi")).text).toBe("hello");
  expect(await runtime.todos.get("s")).toEqual(kept);
  expect((await runtime.replay.verify("s")).divergences).toEqual([]);
});

test("each change is one fact with the whole list, and clearing what is empty is none", async () => {
  expect(await runtime.todos.clear("s")).toEqual([]);
  expect(await types("session-s")).toEqual([]);
  await runtime.todos.put("s", list("a", "b"));
  const changed = await runtime.todos.updateStatus("s", "a", "completed");
  expect(changed.map(({ status }) => status)).toEqual(["completed", "pending"]);
  expect(await runtime.todos.clear("s")).toEqual([]);
  expect(await runtime.todos.clear("s")).toEqual([]);
  expect((await factsOf(log, "session-s")).map(({ type, data }) => [type, data])).toMatchObject([
    ["todos.written", { action: "put", todos: [{}, {}], callId: null }],
    ["todos.written", { action: "update_status", todos: changed, callId: null }],
    ["todos.written", { action: "clear", todos: [], callId: null }],
  ]);
});

test("what stood at an earlier version can be read", async () => {
  await runtime.todos.put("s", [
    { id: "a", content: "A" },
    { id: "b", content: "B", dependencies: ["a"] },
  ]);
  await runtime.todos.updateStatus("s", "a", "completed");
  await runtime.todos.clear("s");
  const at = async (version: number): Promise<unknown[]> => [
    (await runtime.todos.progress("s", { at: version })).completed,
    (await runtime.todos.actionable("s", { at: version })).map(({ id }) => id),
    (await runtime.todos.blocking("s", { at: version })).map(({ id }) => id),
    await runtime.todos.allCompleted("s", { at: version }),
  ];
  expect([await at(1), await at(2), await at(3)]).toEqual([
    [0, ["a"], ["a"], false],
    [1, ["b"], [], false],
    [0, [], [], true],
  ]);
  for (const bad of [0, 4, -1, 1.5, Number.NaN])
    await expect(runtime.todos.get("s", { at: bad })).rejects.toMatchObject({
      code: "LEMON_INVALID_VERSION",
    });
});

test("a key stands for the id in it, and what can be no id is refused", async () => {
  await runtime.todos.put("session:s", list("a"));
  expect(await runtime.todos.get("s")).toHaveLength(1);
  await runtime.todos.put("background:bg_0", list("a"));
  expect(await types("session-bg_0")).toEqual(["todos.written"]);
  for (const bad of ["", " s", "s\n", "x".repeat(257), "session:", undefined, 7] as string[]) {
    const refused = { code: "LEMON_INVALID_SESSION_ID" };
    await expect(runtime.todos.get(bad)).rejects.toMatchObject(refused);
    await expect(runtime.todos.put(bad, [])).rejects.toMatchObject(refused);
    await expect(runtime.todos.put(bad, 1 as never)).rejects.toMatchObject({ code: "LEMON_INVALID_TODOS" });
    await expect(runtime.todos.updateStatus(bad, "a", "zap")).rejects.toMatchObject(refused);
    await expect(runtime.todos.clear(bad)).rejects.toMatchObject(refused);
  }
});

test("what is refused records nothing", async () => {
  await runtime.todos.put("s", list("a"));
  const refused = [
    [runtime.todos.put("s", [{ id: "a" }]), "LEMON_INVALID_TODOS"],
    [runtime.todos.put("s", list("a", "a")), "LEMON_DUPLICATE_TODO_ID"],
    [runtime.todos.updateStatus("s", "z", "pending"), "LEMON_TODO_NOT_FOUND"],
    [runtime.todos.updateStatus("s", "a", "done"), "LEMON_INVALID_STATUS"],
  ] as const;
  for (const [work, code] of refused) await expect(work).rejects.toMatchObject({ code });
  expect(await types("session-s")).toEqual(["todos.written"]);
});

test("a session that another runtime leads is busy, and can be read all the same", async () => {
  await runtime.todos.put("s", list("a"));
  await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  const other = await scriptedRuntime(log, []);
  await expect(other.todos.clear("s")).rejects.toMatchObject({ code: "LEMON_SESSION_BUSY" });
  expect(await other.todos.get("s")).toHaveLength(1);
  await runtime.todos.clear("s");
  expect(await other.todos.get("s")).toEqual([]);
  await other.close();
});

test("changes that are asked for together all count", async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `t${at}`);
  await runtime.todos.put("s", list(...ids));
  await Promise.all(ids.map((id) => runtime.todos.updateStatus("s", id, "completed")));
  expect(await runtime.todos.allCompleted("s")).toBe(true);
});

test("secrets in todos are hidden", async () => {
  const secret = "hush-hush-hush";
  const hiding = await scriptedRuntime(log, [], {
    config: { secrets: { KEY: { env: "KEY" } } },
    env: { KEY: secret },
  });
  await hiding.todos.put("s", [{ id: "a", content: `use ${secret}`, metadata: { key: secret } }]);
  expect(JSON.stringify(await hiding.todos.get("s"))).not.toContain(secret);
  expect(JSON.stringify(await factsOf(log, "session-s"))).not.toContain(secret);
  await hiding.close();
});
