/** Hooks that judge calls and review results. */
import { describe, expect, test } from "vitest";
import type { HookTable } from "../../src/extensions/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { memoryLog, tampered, type Tampering } from "../support/log-doubles.ts";
import { countingIds } from "../support/ids.ts";
import { calling, dataOf, echoing, hooked, world, type WorldOptions } from "./extensions-support.ts";
import { resultsIn, type SeenResult } from "../cases/session.ts";

type OnToolCall = NonNullable<HookTable["onToolCall"]>;
type OnToolResult = NonNullable<HookTable["onToolResult"]>;

/** One call of `echo { a: 1 }` under these hooks: what the model sees of it. */
async function callUnder(
  hooks: Readonly<Record<string, HookTable>>,
  options: WorldOptions & { readonly tool?: object } = {},
): Promise<{ result: SeenResult | undefined; ran: unknown[]; types: string[]; details: unknown }> {
  const { tool = {}, ...rest } = options;
  const ran: unknown[] = [];
  const extensions = [
    echoing(ran, { readOnly: true, ...tool }),
    ...Object.entries(hooks).map(([name, table]) => hooked(name, table)),
  ];
  const turns = [calling({ name: "echo", args: { a: 1 } }), { text: "done" }];
  await using here = await world({ turns, extensions, ...rest });
  const session = await here.start();
  expect(await session.prompt("go")).toMatchObject({ status: "completed" });
  expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
  const facts = await here.factsOf(session);
  const [completed] = dataOf(facts, "tool_call.completed");
  return {
    result: resultsIn(here.requests[1])[0],
    ran,
    types: facts.map(({ type }) => type),
    details: completed?.details,
  };
}

const block = (reason: unknown): OnToolCall => (() => ({ block: reason })) as OnToolCall;
const replace = (args: unknown): OnToolCall => (() => ({ replaceArgs: args })) as OnToolCall;

describe("onToolCall", () => {
  test("the first block wins, later handlers do not run, context before it stays", async () => {
    const seen: string[] = [];
    const { result, ran } = await callUnder({
      c: { onToolCall: () => void seen.push("c") },
      b: { onToolCall: [block("because"), () => void seen.push("b1")] as never },
      a: { onToolCall: () => ({ additionalContext: "mind the gap", replaceArgs: { b: 2 } }) },
    });
    expect(result).toMatchObject({
      isError: true,
      text: "Tool call blocked: because[hook context]\nmind the gap",
    });
    expect({ ran, seen }).toEqual({ ran: [], seen: [] });
  });

  test("the last replacement wins; every handler sees the original arguments", async () => {
    const seen: unknown[] = [];
    const note =
      (answer: unknown): OnToolCall =>
      (event) => {
        seen.push({ ...event.args });
        (event.args as { a: number }).a = 99;
        return answer as never;
      };
    const { ran } = await callUnder({
      a: { onToolCall: [note({ replaceArgs: { one: 1 } }), note({ replaceArgs: { two: 2 } })] as never },
      b: { onToolCall: note({ replaceArgs: [3] }) },
      c: { onToolCall: note(null) },
    });
    expect(ran).toEqual([{ two: 2 }]);
    expect(seen).toEqual(Array.from({ length: 4 }, () => ({ a: 1 })));
  });

  test("is given the call as documented", async () => {
    const seen: unknown[] = [];
    await callUnder({ a: { onToolCall: (event) => void seen.push(event) } });
    expect(seen).toEqual([
      {
        toolCallId: expect.stringMatching(/^call_/) as string,
        toolName: "echo",
        args: { a: 1 },
        cwd: expect.any(String) as string,
        sessionId: expect.stringMatching(/^ses_/) as string,
      },
    ]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("private"))],
    ["answers with no JSON", () => ({ additionalContext: "x", replaceArgs: { at: new Map() } }) as never],
    ["runs over its tool's time", () => new Promise<never>(() => undefined)],
  ])("that %s blocks", async (_what, handler) => {
    const seen: string[] = [];
    const { result, ran } = await callUnder(
      {
        a: { onToolCall: () => ({ additionalContext: "kept" }) },
        b: { onToolCall: handler },
        c: { onToolCall: () => void seen.push("c") },
      },
      { tool: { timeoutMs: 100 } },
    );
    expect(result?.text).toBe("Tool call blocked: an extension hook failed[hook context]\nkept");
    expect({ ran, seen }).toEqual({ ran: [], seen: [] });
  });

  test("that is no function blocks", async () => {
    const { result, ran } = await callUnder({ a: { onToolCall: ["not a function"] as never } });
    expect(result?.text).toBe("Tool call blocked: an extension hook failed");
    expect(ran).toEqual([]);
  });

  test.each([
    ["", "no reason given"],
    ["  \u0007 ", "no reason given"],
    [true, "no reason given"],
    [{ why: 1 }, "no reason given"],
    ["a\u001B[2Jb\u202E", "a[2Jb"],
    ["\u{1F600}".repeat(501), `${"\u{1F600}".repeat(499)}…`],
  ])("reason %j is told as %j", async (reason, told) => {
    const { result } = await callUnder({ a: { onToolCall: block(reason) } });
    expect(result?.text).toBe(`Tool call blocked: ${told}`);
  });

  test.each([[false], [null], [undefined]])("block: %j is none", async (reason) => {
    const { ran } = await callUnder({ a: { onToolCall: block(reason) } });
    expect(ran).toEqual([{ a: 1 }]);
  });

  test("without any hook nothing of it is recorded", async () => {
    const { types } = await callUnder({});
    expect(types.filter((type) => type.startsWith("hook"))).toEqual([]);
  });

  test("neither unknown tools nor invalid arguments reach it", async () => {
    const seen: unknown[] = [];
    const guard = hooked("guard", {
      onToolCall: (event) => void seen.push(event),
      onToolResult: (event) => void seen.push(event),
    });
    const strict = { parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } };
    const turns = [calling("nope", { name: "echo", args: {} }), { text: "done" }];
    await using here = await world({ turns, extensions: [guard, echoing([], strict)] });
    const session = await here.start();
    await session.prompt("go");
    expect(seen).toEqual([]);
    expect(resultsIn(here.requests[1]).map(({ isError }) => isError)).toEqual([true, true]);
  });

  test("sees arguments that were bent to the schema; the request keeps them as written", async () => {
    const seen: unknown[] = [];
    const numbers = { parameters: { type: "object", properties: { a: { type: "string" } } } };
    const { ran } = await callUnder(
      { a: { onToolCall: ({ args }) => void seen.push(args) } },
      { tool: numbers },
    );
    expect({ seen, ran }).toEqual({ seen: [{ a: "1" }], ran: [{ a: "1" }] });
  });

  test("a replacement reaches the tool unchecked", async () => {
    const strict = { parameters: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } };
    const { ran } = await callUnder(
      { a: { onToolCall: replace({ a: "x", ["__proto__"]: 1 }) } },
      { tool: strict },
    );
    expect(ran).toEqual([{ a: "x" }]);
  });

  test("an approval is asked for what the call would run with", async () => {
    const ran: unknown[] = [];
    const extensions = [echoing(ran), hooked("a", { onToolCall: replace({ b: 2 }) })];
    const turns = [calling({ name: "echo", args: { a: 1 } }), { text: "done" }];
    await using here = await world({ turns, extensions });
    const session = await here.start({ approval: "ask" });
    const ended = session.prompt("go");
    await expect.poll(() => session.approvals.pending().map(({ args }) => args)).toEqual([{ b: 2 }]);
    const [pending] = session.approvals.pending();
    await session.approvals.resolve(pending?.id ?? "", "allow");
    await ended;
    expect(ran).toEqual([{ b: 2 }]);
  });

  test("a secret in a replacement is hidden in the log and real in the tool", async () => {
    const secret = "sk-very-secret-value-1234567890";
    const ran: unknown[] = [];
    const seen: unknown[] = [];
    const extensions = [
      echoing(ran),
      hooked("a", {
        onToolCall: replace({ token: secret }),
        onToolResult: ({ args }) => void seen.push(args),
      }),
    ];
    const turns = [calling({ name: "echo", args: { a: 1 } }), { text: "done" }];
    const env = { OPENAI_API_KEY: secret, PATH: process.env["PATH"] };
    await using here = await world({ turns, extensions, env });
    const session = await here.start();
    await session.prompt("go");
    expect(ran).toEqual([{ token: secret }]);
    expect(seen).toEqual([{ token: secret }]);
    expect(JSON.stringify(await here.factsOf(session))).not.toContain(secret);
    expect(JSON.stringify(here.requests)).not.toContain(secret);
    expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
  });
});

describe("onToolResult", () => {
  const answers = (answer: unknown): OnToolResult => (() => answer) as OnToolResult;

  test("for content and details the last that is there wins; each sees the original", async () => {
    const seen: unknown[] = [];
    const note =
      (answer: unknown): OnToolResult =>
      ({ result }) => {
        seen.push(structuredClone(result));
        (result as { details: unknown }).details = "changed";
        return answer as never;
      };
    const content = (text: string): object => ({ content: [{ type: "text", text }] });
    const { result, details } = await callUnder({
      a: { onToolResult: note({ replace: { ...content("a"), details: { a: 1 } } }) },
      b: { onToolResult: note({ replace: { ...content("b"), details: null } }) },
      c: { onToolResult: note({ replace: { content: [{ type: "video" }], isError: true } }) },
    });
    expect(result).toMatchObject({ text: "b", isError: false });
    expect(details).toEqual({ a: 1 });
    const original = { content: [{ type: "text", text: '{"a":1}' }], details: { own: 1 } };
    expect(seen).toEqual([original, original, original]);
  });

  test("that fails changes nothing, and context of others stays, calls' before results'", async () => {
    const { result } = await callUnder({
      b: {
        onToolCall: () => ({ additionalContext: "call b" }),
        onToolResult: answers({ additionalContext: "result b" }),
      },
      a: {
        onToolCall: () => ({ additionalContext: "call a" }),
        onToolResult: () => {
          throw new Error("no");
        },
      },
    });
    expect(result).toMatchObject({
      isError: false,
      text: '{"a":1}[hook context]\ncall a\n\ncall b\n\nresult b',
    });
  });

  test("sees a throw as its message, and changes nothing about it", async () => {
    const seen: unknown[] = [];
    const { result } = await callUnder(
      {
        a: {
          onToolCall: () => ({ additionalContext: "call" }),
          onToolResult: (event) => {
            seen.push([event.result, event.isError]);
            return { replace: { content: [{ type: "text", text: "fine" }] }, additionalContext: "result" };
          },
        },
      },
      {
        tool: {
          execute: () => {
            throw new Error("broken");
          },
        },
      },
    );
    expect(seen).toEqual([[{ error: "broken" }, true]]);
    expect(result).toMatchObject({ isError: true, text: "broken" });
  });

  test("sees denied calls, and cannot turn them", async () => {
    const seen: unknown[] = [];
    const ran: unknown[] = [];
    const extensions = [
      echoing(ran),
      hooked("a", {
        onToolResult: (event) => {
          seen.push([event.result, event.isError]);
          return { replace: { content: [{ type: "text", text: "fine" }] }, additionalContext: "x" };
        },
      }),
    ];
    await using here = await world({ turns: [calling("echo"), { text: "done" }], extensions });
    const session = await here.start({ approval: "deny" });
    await session.prompt("go");
    expect(seen).toEqual([[{ error: "Tool call denied" }, true]]);
    expect(ran).toEqual([]);
    expect(resultsIn(here.requests[1])).toMatchObject([{ isError: true }]);
    expect(resultsIn(here.requests[1])[0]?.text).not.toMatch(/fine|hook context/);
  });

  test("does not see blocked calls", async () => {
    const seen: unknown[] = [];
    await callUnder({ a: { onToolCall: block("no"), onToolResult: (event) => void seen.push(event) } });
    expect(seen).toEqual([]);
  });
});

describe("a process that dies", () => {
  /** Dies as soon as a fact of the type is durable. */
  function dyingAt(log: EventLog, type: string): { log: EventLog; died: Promise<void> } {
    const tampering: Tampering = {};
    let die = (): void => undefined;
    const died = new Promise<void>((resolve) => (die = resolve));
    const watched = new Proxy(log, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name !== "append") return member.bind(target) as unknown;
        return async (...args: unknown[]) => {
          const facts = (await Reflect.apply(member, target, args)) as { type: string }[];
          if (facts.some((fact) => fact.type === type)) {
            tampering.killed = true;
            die();
          }
          return facts;
        };
      },
    });
    return { log: tampered(watched, tampering), died };
  }

  test.each([
    [
      "while a handler judges a call: the call is blocked",
      "hook.requested",
      "Tool call blocked: an extension hook failed",
    ],
    ["after it was allowed and before it started: it is not run twice", "tool_call.started", "interrupted"],
  ])("%s", async (_what, type, told) => {
    let now = Date.now();
    const log = await memoryLog(() => now);
    const ran: unknown[] = [];
    const turns = [calling("echo"), { text: "done" }];
    const extensions = [echoing(ran), hooked("guard", { onToolCall: () => undefined })];
    const dying = dyingAt(log, type);
    const first = await world({ turns, extensions, onLog: dying.log });
    const session = await first.start();
    void session.prompt("go").catch(() => undefined);
    await dying.died;
    now += 60_000;
    const ids = countingIds(0x90000);
    await using second = await world({ turns, extensions, onLog: log, cwd: first.cwd, ids });
    const again = await second.runtime.sessions.resume(session.id);
    expect(await again.outcome()).toMatchObject({ status: "completed", text: "done" });
    expect(resultsIn(second.requests.at(-1))[0]?.text).toContain(told);
    expect(ran).toEqual([]);
    expect((await second.runtime.replay.verify(session.id)).divergences).toEqual([]);
  });
});
