import { beforeEach, expect, test } from "vitest";
import type { EventLog } from "../../../src/log/index.ts";
import type { FactOf } from "../../../src/events/index.ts";
import { factsOf, scriptedRuntime } from "../../support/runtimes.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { ManualClock } from "../../support/manual-clock.ts";

let log: EventLog;
beforeEach(async () => {
  log = await memoryLog();
});

const call = (args: object): { name: string; args: object } => ({ name: "todo", args });

/** Runs one answer of todo calls in session `s`. @returns what each call returned */
async function calls(...args: readonly object[]) {
  const runtime = await scriptedRuntime(log, [{ toolCalls: args.map(call) }, { text: "done" }], {
    clock: new ManualClock(),
  });
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  expect((await session.prompt("go")).status).toBe("completed");
  const todos = await runtime.todos.get("s");
  const { divergences } = await runtime.replay.verify("s");
  expect(divergences).toEqual([]);
  await runtime.close();
  const facts = await factsOf(log, "session-s");
  const returned = facts.filter(({ type }) => type === "tool_call.returned");
  return { facts, todos, results: returned.map(({ data }) => data as FactOf<"tool_call.returned">["data"]) };
}

test("write", async () => {
  const { results, todos } = await calls(
    { action: "write", todos: [{ id: " a ", content: "A" }] },
    { action: "read" },
    { action: "write", todos: [{ id: "a" }] },
    { action: "write", todos: "nope" },
    { action: "zap" },
    {},
    { action: "update", todo: { id: "a", status: "completed" } },
    { action: "progress" },
    { action: "actionable" },
  );
  console.log(JSON.stringify(results, null, 1), todos);
});
