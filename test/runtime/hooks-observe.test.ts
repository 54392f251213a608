/** Hooks that observe a run. */
import { describe, expect, test } from "vitest";
import { hookNames, type HookTable } from "../../src/extensions/index.ts";
import { gate } from "../support/runtimes.ts";
import { dataOf, echoing, hooked, world } from "./extensions-support.ts";

const observers = hookNames.filter((name) => !/Session|ToolCall|ToolResult/.test(name));

/** Handlers that note what they are given. */
function noting(seen: unknown[][], prefix: string[] = []): HookTable {
  return Object.fromEntries(
    observers.map((name) => [name, (...args: unknown[]) => void seen.push([...prefix, name, ...args])]),
  ) as HookTable;
}

describe("observer hooks", () => {
  test("are called in the order of the events, with what is documented", async () => {
    const seen: unknown[][] = [];
    const extensions = [hooked("notes", noting(seen)), echoing([], { readOnly: true })];
    const turns = [{ text: "calling", toolCalls: [{ name: "echo", args: { a: 1 } }] }, { text: "done" }];
    await using here = await world({ turns, extensions });
    const session = await here.start();
    await session.prompt("go");
    const [, id] = seen.find(([name]) => name === "onToolExecutionStart") ?? [];
    const user = { role: "user", content: [{ type: "text", text: "go" }] };
    const calls = [{ id, name: "echo", args: { a: 1 } }];
    const assistant = { role: "assistant", content: [{ type: "text", text: "calling" }], toolCalls: calls };
    const last = { role: "assistant", content: [{ type: "text", text: "done" }], toolCalls: [] };
    const content = [{ type: "text", text: '{"a":1}' }];
    const tool = { role: "tool", toolCallId: id, toolName: "echo", content, isError: false };
    expect(seen.map(([name]) => name)).toEqual([
      "onAgentStart",
      "onTurnStart",
      "onMessageStart",
      "onMessageEnd",
      "onMessageStart",
      "onMessageEnd",
      "onToolExecutionStart",
      "onToolExecutionEnd",
      "onMessageStart",
      "onMessageEnd",
      "onTurnEnd",
      "onTurnStart",
      "onMessageStart",
      "onMessageEnd",
      "onTurnEnd",
      "onAgentEnd",
    ]);
    const of = (name: string): unknown[][] =>
      seen.filter(([each]) => each === name).map(([, ...args]) => args);
    expect(of("onAgentStart")).toEqual([[]]);
    expect(of("onTurnStart")).toEqual([[], []]);
    expect(of("onToolExecutionStart")).toEqual([[id, "echo", { a: 1 }]]);
    expect(of("onToolExecutionEnd")).toEqual([[id, "echo", { content, details: { own: 1 } }, false]]);
    expect(of("onMessageStart")).toEqual(of("onMessageEnd"));
    expect(of("onMessageEnd")).toMatchObject([[user], [assistant], [tool], [last]]);
    expect(of("onTurnEnd")).toMatchObject([
      [assistant, [tool]],
      [last, []],
    ]);
    expect(of("onAgentEnd")).toMatchObject([[[user, assistant, tool, last]]]);
  });

  test("run by module, each before the next event", async () => {
    const seen: unknown[][] = [];
    const extensions = [hooked("b", noting(seen, ["b"])), hooked("a", noting(seen, ["a"]))];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    await session.prompt("go");
    const pairs = seen.map(([module, name]) => `${String(module)} ${String(name)}`);
    expect(pairs.length).toBeGreaterThan(10);
    for (let index = 0; index < pairs.length; index += 2)
      expect(pairs[index + 1]).toBe(pairs[index]?.replace(/^a/, "b"));
  });

  test("have the next step wait: no request while onTurnStart runs, no end while onAgentEnd does", async () => {
    const [turn, end] = [gate(), gate()];
    const entered: string[] = [];
    const extensions = [
      hooked("slow", {
        onTurnStart: async () => {
          entered.push("turn");
          await turn.promise;
        },
        onAgentEnd: async () => {
          entered.push("end");
          await end.promise;
        },
      }),
    ];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    let hasEnded = false;
    const ended = session.prompt("go").then(() => (hasEnded = true));
    await expect.poll(() => entered).toEqual(["turn"]);
    expect(here.requests).toHaveLength(0);
    turn.open();
    await expect.poll(() => entered).toEqual(["turn", "end"]);
    expect(here.requests).toHaveLength(1);
    expect(hasEnded).toBe(false);
    end.open();
    await ended;
  });

  test("that throw are told without content; the others run, the run goes on", async () => {
    const seen: string[] = [];
    const extensions = [
      hooked("a", {
        onTurnStart: [
          () => {
            throw new TypeError("very private");
          },
          () => void seen.push("second"),
        ],
      }),
      hooked("b", { onTurnStart: () => void seen.push("b") }),
    ];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    expect(await session.prompt("go")).toMatchObject({ status: "completed" });
    expect(seen).toEqual(["second", "b"]);
    expect(dataOf(await here.factsOf(session), "hook.failed")).toMatchObject([
      { hook: "onTurnStart", module: "a", handler: 0, kind: "throw", class: "TypeError", callId: null },
    ]);
    expect(here.lines.filter(({ message }) => message === "a hook failed")).toEqual([
      expect.objectContaining({
        fields: { hook: "onTurnStart", module: "a", failure: "throw", class: "TypeError" },
      }),
    ]);
    expect(JSON.stringify(here.lines)).not.toContain("very private");
    expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
  });

  test.each([
    ["an abort", [{ text: "never", delayMs: 60_000 }], true, "aborted"],
    ["an error", [{ error: { status: 400 } }], false, "failed"],
  ])("onAgentEnd runs once after %s", async (_what, turns, aborts, status) => {
    const seen: unknown[][] = [];
    const extensions = [hooked("notes", { onAgentEnd: (messages) => void seen.push([...messages]) })];
    await using here = await world({ turns, extensions });
    const session = await here.start();
    const ended = session.prompt("go");
    if (aborts) {
      await expect.poll(() => here.requests.length).toBe(1);
      await session.abort("enough");
    }
    expect(await ended).toMatchObject({ status });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.[0]).toMatchObject({ role: "user" });
  });

  test("see calls of unknown tools and invalid arguments as the model wrote them", async () => {
    const seen: unknown[][] = [];
    const strict = {
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    };
    const extensions = [hooked("notes", noting(seen)), echoing([], strict)];
    const turns = [
      {
        toolCalls: [
          { name: "nope", args: { x: 1 } },
          { name: "echo", args: { n: "x" } },
          { name: "echo", args: { n: "5" } },
        ],
      },
      { text: "done" },
    ];
    await using here = await world({ turns, extensions });
    const session = await here.start();
    await session.prompt("go");
    const started = seen.filter(([name]) => name === "onToolExecutionStart");
    expect(started.map(([, , name, args]) => [name, args])).toEqual([
      ["nope", { x: 1 }],
      ["echo", { n: "x" }],
      ["echo", { n: "5" }],
    ]);
    const ends = seen.filter(([name]) => name === "onToolExecutionEnd");
    expect(ends.map(([, id, , , isError]) => [id, isError])).toEqual(
      started.map(([, id], index) => [id, index < 2]),
    );
  });
});
