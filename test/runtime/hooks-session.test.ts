/** Hooks that see the start and the end of a session. */
import { describe, expect, test } from "vitest";
import type { HookTable } from "../../src/extensions/index.ts";
import { countingIds } from "../support/ids.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { gate } from "../support/runtimes.ts";
import { calling, dataOf, hooked, world } from "./extensions-support.ts";
import { promptsIn } from "../cases/session.ts";

type OnSessionStart = NonNullable<HookTable["onSessionStart"]>;

const says = (additionalContext: unknown): OnSessionStart =>
  (() => ({ additionalContext })) as OnSessionStart;

describe("onSessionStart", () => {
  test("runs by module in code points, each list in its order, and gives one message", async () => {
    const extensions = [
      hooked("b", { onSessionStart: says("from b") }),
      hooked("a10", { onSessionStart: [says("a10 first"), says("a10 second")] as never }),
      hooked("Z", { onSessionStart: says("from Z") }),
      hooked("a2", { onSessionStart: says("  \r\n ") }),
    ];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    await session.prompt("go");
    const joined = "from Z\n\na10 first\n\na10 second\n\nfrom b";
    expect(promptsIn(here.requests[0])).toEqual([`[hook context]\n${joined}`, "go"]);
    const facts = await here.factsOf(session);
    expect(dataOf(facts, "hook_context.appended")).toEqual([
      {
        hook: "onSessionStart",
        text: `[hook context]\n${joined}`,
        from: [
          { module: "Z", sha256: null, handler: 0 },
          { module: "a10", sha256: null, handler: 0 },
          { module: "a10", sha256: null, handler: 1 },
          { module: "b", sha256: null, handler: 0 },
        ],
      },
    ]);
    expect(facts.map(({ type }) => type).slice(0, 3)).toEqual([
      "session.started",
      "extension_status_report.published",
      "hook_context.appended",
    ]);
  });

  test.each([
    ["a number", 1],
    ["half a surrogate pair", "a\uD800"],
    ["nothing", undefined],
    ["controls only", "\u0000\u0007\u202E"],
  ])("%s is no text, and without text there is no message", async (_what, value) => {
    const extensions = [hooked("a", { onSessionStart: says(value) })];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    await session.prompt("go");
    expect(promptsIn(here.requests[0])).toEqual(["go"]);
    expect(dataOf(await here.factsOf(session), "hook_context.appended")).toEqual([]);
  });

  test("one that throws takes nothing from the others", async () => {
    const seen: unknown[] = [];
    const extensions = [
      hooked("a", {
        onSessionStart: (event) => {
          (event as { cwd: string }).cwd = "changed";
          throw new RangeError("secret words");
        },
      }),
      hooked("b", {
        onSessionStart: (event) => {
          seen.push(event);
          return { additionalContext: "from b" };
        },
      }),
    ];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    expect(seen).toEqual([{ sessionId: session.id, cwd: here.cwd, sessionScope: "main" }]);
    await session.prompt("go");
    const facts = await here.factsOf(session);
    expect(dataOf(facts, "hook_context.appended")).toMatchObject([{ text: "[hook context]\nfrom b" }]);
    expect(dataOf(facts, "hook.failed")).toMatchObject([
      { hook: "onSessionStart", module: "a", kind: "throw", class: "RangeError", message: "secret words" },
    ]);
    expect(JSON.stringify(here.lines)).not.toContain("secret words");
  });

  test("a prompt waits until it has run", async () => {
    const open = gate();
    const order: string[] = [];
    const extensions = [
      hooked("a", {
        onSessionStart: async () => {
          await open.promise;
          order.push("started");
        },
        onAgentStart: () => void order.push("agent"),
      }),
    ];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const starting = here.start({ sessionId: "s" });
    const prompted = starting.then((session) => session.prompt("go"));
    expect(here.requests).toHaveLength(0);
    open.open();
    await prompted;
    expect(order).toEqual(["started", "agent"]);
  });

  test("a resume runs it again and adds a message; the older one stays", async () => {
    const log = await memoryLog();
    let times = 0;
    const extensions = [
      hooked("a", { onSessionStart: () => ({ additionalContext: `start ${(times += 1)}` }) }),
    ];
    const turns = [{ text: "one" }, { text: "two" }];
    const first = await world({ turns, extensions, onLog: log });
    const session = await first.start();
    await session.prompt("first");
    await first[Symbol.asyncDispose]();
    const ids = countingIds(0x9000);
    await using second = await world({ turns, extensions, onLog: log, cwd: first.cwd, ids });
    const again = await second.runtime.sessions.resume(session.id);
    await again.prompt("second");
    expect(promptsIn(second.requests[0])).toEqual([
      "[hook context]\nstart 1",
      "first",
      "[hook context]\nstart 2",
      "second",
    ]);
    const facts = await second.factsOf(again);
    expect(dataOf(facts, "hook_context.appended")).toHaveLength(2);
    expect((await second.runtime.replay.verify(session.id)).divergences).toEqual([]);
  });

  test("handlers of one extension that use the time up leave no text of it behind", async () => {
    const slow = (ms: number): OnSessionStart =>
      (() => new Promise((resolve) => setTimeout(() => resolve({ additionalContext: "x" }), ms))) as never;
    let wasRun = false;
    const extensions = [
      hooked("a", { onSessionStart: [slow(0), slow(1_500), slow(1_500)] as never }),
      hooked("b", { onSessionStart: () => void (wasRun = true) }),
    ];
    await using here = await world({ turns: [{ text: "done" }], extensions });
    const session = await here.start();
    await session.prompt("go");
    expect(wasRun).toBe(false);
    expect(dataOf(await here.factsOf(session), "hook_context.appended")).toEqual([]);
  });
});

describe("onSessionShutdown", () => {
  test.each([
    ["normal", (end: { shutdown(reason?: string): Promise<void> }) => end.shutdown()],
    ["I said so", (end: { shutdown(reason?: string): Promise<void> }) => end.shutdown("I said so")],
  ])("is told %s, once", async (reason, end) => {
    const seen: unknown[] = [];
    const extensions = [hooked("a", { onSessionShutdown: (event) => void seen.push(event) })];
    await using here = await world({ extensions });
    const session = await here.start();
    await Promise.all([end(session), end(session), session.shutdown("too late")]);
    expect(seen).toEqual([{ sessionId: session.id, cwd: here.cwd, reason }]);
  });

  test("is told shutdown when the runtime closes, and can change nothing", async () => {
    const seen: unknown[] = [];
    const extensions = [
      hooked("a", {
        onSessionShutdown: ({ reason }) => {
          seen.push(reason);
          return { additionalContext: "last words" };
        },
      }),
      hooked("b", {
        onSessionShutdown: () => {
          throw new Error("not now");
        },
      }),
      hooked("c", { onSessionShutdown: ({ reason }) => void seen.push(reason) }),
    ];
    const log = await memoryLog();
    const here = await world({ extensions, onLog: log });
    const session = await here.start();
    await here.runtime.close();
    await here.runtime.close();
    expect(seen).toEqual(["shutdown", "shutdown"]);
    const facts = await here.factsOf(session);
    expect(dataOf(facts, "hook_context.appended")).toEqual([]);
    expect(facts.map(({ type }) => type).at(-1)).toMatch(/session\.shut_down|hook\.failed/);
    await log.close();
  });

  test("sees the end of an open run before it", async () => {
    const order: string[] = [];
    const extensions = [
      hooked("a", {
        onAgentEnd: () => void order.push("agent"),
        onSessionShutdown: () => void order.push("session"),
      }),
    ];
    await using here = await world({ turns: [{ ...calling("ls"), delayMs: 60_000 }], extensions });
    const session = await here.start();
    const ended = session.prompt("go");
    await expect.poll(() => session.state().status).toBe("running");
    await session.shutdown();
    expect(await ended).toMatchObject({ status: "aborted" });
    expect(order).toEqual(["agent", "session"]);
  });
});
