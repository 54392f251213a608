/** Todo lists that models write. Each test is named by the situation that it plays through. */
import { expect, test } from "vitest";
import { memoryLog } from "../support/log-doubles.ts";
import { scriptedRuntime } from "../support/runtimes.ts";
import type { FactData } from "../../src/events/index.ts";
import { factsOf } from "../support/runtimes.ts";

test("todo-cycle: a list of todos that wait for each other is stored, and offers what waits for nothing", async () => {
  const waits: Readonly<Record<string, string[]>> = { A: ["B"], B: ["C"], C: ["A"], D: [], E: ["E"] };
  const todos = Object.entries(waits).map(([id, dependencies]) => ({
    id,
    content: `work ${id}`,
    dependencies,
  }));
  const log = await memoryLog();
  const runtime = await scriptedRuntime(log, [
    { toolCalls: [{ name: "todo", args: { action: "write", todos } }] },
    { toolCalls: [{ name: "todo", args: { action: "actionable" } }] },
    { text: "ok" },
  ]);
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  expect(await session.prompt("plan")).toMatchObject({ status: "completed" });
  const [written, ready] = (await factsOf(log, "session-s"))
    .filter(({ type }) => type === "tool_call.returned")
    .map(({ data }) => data as FactData<"tool_call.returned">);
  expect([written?.isError, ready?.isError]).toEqual([false, false]);
  const said = JSON.stringify(written?.content);
  for (const pair of ["A and B", "B and C", "C and A"]) expect(said).toContain(`${pair} wait for each other`);
  expect(said).toContain("E waits for itself");
  expect(ready?.details).toMatchObject({ title: "1 actionable todos", todos: [{ id: "D" }] });
  expect(await runtime.todos.get("s")).toHaveLength(5);
  expect(await runtime.progress.snapshot("s")).toMatchObject({
    todos: { total: 5, completed: 0 },
    nextActions: { todos: [{ id: "D" }] },
  });
  const before = performance.now();
  await runtime.todos.put("s", todos);
  expect(performance.now() - before).toBeLessThan(1_000);
  await runtime.close();
});
