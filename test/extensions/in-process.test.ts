import fc from "fast-check";
import { expect, test } from "vitest";
import type { HookName } from "../../src/extensions/hooks.ts";
import { inProcessHost } from "../../src/extensions/in-process/host.ts";
import type { Collection, RunHooksOptions } from "../../src/extensions/port.ts";
import { type Logger, silentLogger } from "../../src/ports.ts";
import { ToolFailure } from "../../src/tools/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const options: RunHooksOptions = { handlerMs: 100, eventMs: null, untilBlocked: false };

async function hostOf(definition: unknown, clock = new ManualClock(), logger: Logger = silentLogger) {
  return inProcessHost(definition, { index: 3, clock, logger });
}

async function collectionOf(members: object, clock = new ManualClock()): Promise<Collection> {
  return (await hostOf({ name: "a", version: "1.0.0", ...members }, clock)).collect("/w", {});
}

function firstOf<Value>(list: readonly Value[]): Value {
  const [first] = list;
  if (first === undefined) throw new Error("the list is empty");
  return first;
}

async function throwing(thrown: unknown): Promise<never> {
  await turn();
  throw thrown as Error;
}

const context = { sessionId: "s", cwd: "/w", config: {}, log: silentLogger };

async function callTool(
  execute: (...call: any[]) => unknown, // eslint-disable-line typescript/no-explicit-any -- as an author may write it
  given: {
    args?: object;
    signal?: AbortSignal;
    onUpdate?: (partial: unknown) => void;
    settings?: object;
  } = {},
) {
  const host = await hostOf({
    name: "a",
    version: "1.0.0",
    tools: [{ name: "t", description: "", execute }],
  });
  const { tools } = await host.collect("/w", (given.settings ?? {}) as Record<string, unknown>);
  const { args = {}, signal = new AbortController().signal, onUpdate = () => undefined } = given;
  return firstOf(tools).execute("c", args as Record<string, unknown>, signal, onUpdate, context);
}

test.each([[undefined], [null], [5], ["x"], [() => 1]])(
  "%s is described as an object without members",
  async (value) => {
    const host = await hostOf(value);
    expect(host.description.errors).toEqual({
      name: ["missing required field: name"],
      version: ["missing required field: version"],
    });
    expect(host.sha256).toBeNull();
  },
);

test("the name builtin is taken", async () => {
  const { description } = await hostOf({ name: "builtin", version: "1.0.0" });
  expect(description.errors).toEqual({ name: ["the name builtin is reserved"] });
});

test("handlers run in their order, each with arguments that nobody has touched, whatever they do", async () => {
  const kinds = fc.constantFrom("sync", "async", "throw", "reject", "text", "map", "undefined", "late");
  await fc.assert(
    fc.asyncProperty(fc.array(kinds, { maxLength: 7 }), async (list) => {
      const clock = new ManualClock();
      const seen: unknown[] = [];
      const handlers = list.map((kind, index) => {
        if (kind === "text") return kind;
        return (event: { deep: { list: number[] } }, second: unknown) => {
          seen.push([index, JSON.parse(JSON.stringify([event, second]))]);
          event.deep.list.push(index);
          (event as { extra?: unknown }).extra = index;
          switch (kind) {
            case "throw":
              throw new TypeError("no");
            case "reject":
              return Promise.reject(new Error("later no"));
            case "map":
              return { x: new Map() };
            case "undefined":
              return undefined;
            case "late":
              return new Promise(() => undefined);
            default:
              return kind === "async" ? Promise.resolve({ index }) : { index };
          }
        };
      });
      const { runHooks, hooks } = await collectionOf({ hooks: { onToolCall: handlers } }, clock);
      expect(hooks.onToolCall ?? 0).toBe(list.length);
      const args = [{ deep: { list: [1] } }, null];
      let isOver = false;
      const running = runHooks("onToolCall", args, options).finally(() => (isOver = true));
      while (!isOver) {
        await turn();
        if (clock.pending > 0) clock.advance(100);
      }
      const expected = {
        answered: "answered",
        throw: "throw",
        reject: "throw",
        text: "not_a_function",
        map: "invalid",
        late: "timeout",
      };
      const outcomes = await running;
      expect(
        outcomes.map((outcome) => (outcome.status === "failed" ? outcome.failure.kind : outcome.status)),
      ).toEqual(list.map((kind) => expected[kind as keyof typeof expected] ?? "answered"));
      expect(outcomes.flatMap((outcome) => (outcome.status === "answered" ? [outcome.answer] : []))).toEqual(
        list.flatMap((kind, index) =>
          kind === "undefined" ? [null] : kind === "sync" || kind === "async" ? [{ index }] : [],
        ),
      );
      expect(seen).toEqual(
        list.flatMap((kind, index) => (kind === "text" ? [] : [[index, [{ deep: { list: [1] } }, null]]])),
      );
      expect(args).toEqual([{ deep: { list: [1] } }, null]);
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("a block or a failure ends an event that asks for it, nothing else does", async () => {
  const answers = fc.constantFrom<unknown>(
    { block: "no" },
    { block: "" },
    { block: 5 },
    { block: null },
    { block: false },
    { block: undefined },
    { replaceArgs: {} },
    "block",
    ["block"],
    null,
    "throw",
    "not a function",
  );
  const blocks = (answer: unknown): boolean =>
    answer === "throw" ||
    answer === "not a function" ||
    (typeof answer === "object" &&
      answer !== null &&
      "block" in answer &&
      ![null, false, undefined].includes(answer.block as null));
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { maxLength: 6 }), fc.boolean(), async (list, untilBlocked) => {
      const handlers = list.map((answer) => {
        if (answer === "not a function") return answer;
        return () => {
          if (answer === "throw") throw new Error("no");
          return answer;
        };
      });
      const { runHooks } = await collectionOf({ hooks: { onToolCall: handlers } });
      const outcomes = await runHooks("onToolCall", [{}], { ...options, untilBlocked });
      const first = list.findIndex(blocks);
      const ran = untilBlocked && first !== -1 ? first + 1 : list.length;
      expect(outcomes).toHaveLength(list.length);
      expect(outcomes.filter(({ status }) => status !== "not_run")).toHaveLength(ran);
      expect(outcomes.slice(ran).every(({ status }) => status === "not_run")).toBe(true);
    }),
  );
});

test("the event's own time cuts the handler that runs and keeps the rest from running", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(250),
      fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 5 }),
      async (eventMs, takes) => {
        const clock = new ManualClock();
        const handlers = takes.map(
          (ms) => () => new Promise<void>((resolve) => void clock.setTimer(ms, resolve)),
        );
        const { runHooks } = await collectionOf({ hooks: { onSessionStart: handlers } }, clock);
        let isOver = false;
        const running = runHooks("onSessionStart", [], { ...options, eventMs }).finally(
          () => (isOver = true),
        );
        while (!isOver) {
          await turn();
          const next = clock.nextInMs;
          if (!isOver && next !== undefined) clock.advance(next);
        }
        let at = 0;
        const expected = takes.map((ms) => {
          const limit = Math.min(100, eventMs - at);
          if (limit <= 0) return "not_run";
          at += Math.min(ms, limit);
          // Whichever of two timers of one moment was armed first; the handler arms its own after the limit's.
          return ms < limit ? "answered" : "failed";
        });
        expect((await running).map(({ status }) => status)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test("a handler that never gave way and came back late has failed all the same", async () => {
  const clock = new ManualClock();
  const { runHooks } = await collectionOf(
    {
      hooks: {
        onToolCall: () => {
          // As if it had looped: time went on, no timer could fire.
          Object.defineProperty(clock, "monotonic", { value: () => 101 });
          return { additionalContext: "late" };
        },
      },
    },
    clock,
  );
  expect(await runHooks("onToolCall", [{}], options)).toMatchObject([
    { status: "failed", failure: { kind: "timeout", message: "timed out after 100ms" } },
  ]);
});

test("what is thrown is told by its class, whatever it is", async () => {
  class Boom extends Error {}
  const hostile = Object.defineProperty(new Error("x"), "constructor", {
    get() {
      throw new Error("no");
    },
  });
  const throwing = [new Boom("b"), "text", null, undefined, hostile].map((thrown) => () => {
    throw thrown as Error;
  });
  const { runHooks } = await collectionOf({ hooks: { onTurnStart: throwing } });
  const outcomes = await runHooks("onTurnStart", [], options);
  expect(outcomes.map((outcome) => (outcome.status === "failed" ? outcome.failure : null))).toEqual([
    { kind: "throw", class: "Boom", message: "b" },
    { kind: "throw", class: "string", message: "text" },
    { kind: "throw", class: "null", message: "null" },
    { kind: "throw", class: "undefined", message: "undefined" },
    { kind: "throw", class: "Error", message: "x" },
  ]);
});

test("`this` is the table, and a hook without handlers has no outcomes", async () => {
  const hooks = {
    mark: "mine",
    onTurnStart() {
      return { mark: this.mark };
    },
  };
  const { runHooks } = await collectionOf({ hooks });
  expect(await runHooks("onTurnStart", [], options)).toMatchObject([{ answer: { mark: "mine" } }]);
  expect(await runHooks("onTurnEnd" satisfies HookName, [], options)).toEqual([]);
});

test("a tool gets copies and gives one", async () => {
  const args = { list: [1] };
  const settings = { deep: { x: 1 } };
  const kept = { content: [{ type: "text", text: "a" }], details: { n: 1 } };
  const seen: unknown[] = [];
  const result = await callTool(
    (
      toolCallId,
      given: typeof args,
      signal,
      onUpdate: (partial: unknown) => void,
      ctx: { config: typeof settings },
    ) => {
      seen.push(JSON.parse(JSON.stringify([toolCallId, given, signal instanceof AbortSignal, ctx.config])));
      given.list.push(2);
      ctx.config.deep.x = 2;
      onUpdate(kept);
      return kept;
    },
    { args, settings, onUpdate: (partial) => seen.push(partial) },
  );
  expect(seen).toEqual([["c", { list: [1] }, true, { deep: { x: 1 } }], kept]);
  expect([args, settings]).toEqual([{ list: [1] }, { deep: { x: 1 } }]);
  expect(result).toEqual(kept);
  expect(result).not.toBe(kept);
  expect(result.details).not.toBe(kept.details);
});

test.each([
  [
    () => ({ content: [], details: { at: new Date() } }),
    "Unexpected tool result: details.at: a Date is not a JSON value",
  ],
  [() => undefined, "Unexpected tool result: result: undefined is not a JSON value"],
  [
    () => ({ content: "x".repeat(8_388_609) }),
    "Unexpected tool result: the value is larger than 8388608 characters",
  ],
])("%# what is no result is a failure of the runtime's own", async (execute, message) => {
  const thrown = await callTool(execute).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ToolFailure);
  expect(thrown).toMatchObject({ message, result: { details: { errorType: "unexpected_tool_result" } } });
});

test("what a tool throws keeps the name of its class", async () => {
  class Boom extends Error {}
  const thrown = await callTool(() => {
    throw new Boom("b");
  }).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ name: "Boom", message: "b" });
  await expect(callTool(() => throwing("text"))).rejects.toBe("text");
});

test("an abort settles the call at once; what the tool does then is dropped", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  const updates: unknown[] = [];
  let finish = (): void => undefined;
  const call = callTool(
    async (_id, _args, _signal, onUpdate: (partial: unknown) => void) => {
      await new Promise<void>((resolve) => (finish = resolve));
      onUpdate({ content: [] });
      return { content: [] };
    },
    { signal: controller.signal, onUpdate: (partial) => updates.push(partial) },
  );
  await turn();
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  finish();
  await turn();
  expect(updates).toEqual([]);
  await expect(callTool(() => ({ content: [] }), { signal: controller.signal })).rejects.toBe(reason);
});

test("the same folder and settings share a collection until all have released it", async () => {
  let calls = 0;
  const host = await hostOf({ name: "a", version: "1.0.0", tools: () => ((calls += 1), []) });
  const [one, two] = await Promise.all([host.collect("/w", { x: 1 }), host.collect("/w", { x: 1 })]);
  expect(one).toBe(two);
  expect(await host.collect("/w", { x: 2 })).not.toBe(one);
  expect(await host.collect("/v", { x: 1 })).not.toBe(one);
  expect(calls).toBe(3);
  one.release();
  expect(await host.collect("/w", { x: 1 })).toBe(one);
  one.release();
  one.release();
  one.release();
  expect(await host.collect("/w", { x: 1 })).not.toBe(one);
});

test("a schema that doesn't compile costs that tool", async () => {
  const parameters = { type: "object", properties: { a: { $ref: "#/$defs/no" } } };
  const execute = () => ({ content: [] });
  const { tools, warnings } = await collectionOf({
    tools: [
      { name: "bad", description: "", parameters, execute },
      { name: "good", description: "", execute },
    ],
  });
  expect(tools.map(({ name }) => name)).toEqual(["good"]);
  expect(warnings).toEqual([expect.stringContaining("tool bad: parameters don't compile") as string]);
});

test("an end waits for the calls inside, unless it is to be now; later calls are refused", async () => {
  const clock = new ManualClock();
  let finish = (): void => undefined;
  const execute = () => new Promise((resolve) => (finish = () => resolve({ content: [] })));
  const definition = {
    name: "a",
    version: "1.0.0",
    tools: [{ name: "t", description: "", execute }],
    hooks: { onTurnStart: [() => new Promise(() => undefined), () => 1] },
  };
  const signal = new AbortController().signal;

  const patient = await hostOf(definition, clock);
  const { tools } = await patient.collect("/w", {});
  const call = () => firstOf(tools).execute("c", {}, signal, () => undefined, context);
  const inside = call();
  await turn();
  let hasEnded = false;
  const end = patient.end().then(() => (hasEnded = true));
  await turn();
  expect(hasEnded).toBe(false);
  await expect(call()).rejects.toMatchObject({
    result: { details: { errorType: "tool_task_start_failed" } },
  });
  finish();
  expect(await inside).toEqual({ content: [] });
  await end;

  const hasty = await hostOf(definition, clock);
  const collection = await hasty.collect("/w", {});
  const cut = firstOf(collection.tools).execute("c", {}, signal, () => undefined, context);
  const hooks = collection.runHooks("onTurnStart", [], options);
  await turn();
  await Promise.all([
    expect(cut).rejects.toMatchObject({ result: { details: { errorType: "tool_task_crashed" } } }),
    hasty.end(true),
  ]);
  expect(await hooks).toMatchObject([
    { status: "failed", failure: { kind: "crash" } },
    { status: "not_run" },
  ]);
  expect(await collection.runHooks("onTurnStart", [], options)).toMatchObject([
    { status: "failed", failure: { kind: "crash" } },
    { status: "not_run" },
  ]);
});

test("a provider's functions may be called as they are; one of an unknown type is a note", async () => {
  const notes: string[] = [];
  const logger = { ...silentLogger, debug: (_fields: object, message: string) => void notes.push(message) };
  class Memory {
    readonly kept: unknown[] = [];
    put(document: unknown) {
      this.kept.push(document);
    }
    search() {
      return this.kept;
    }
  }
  const host = await hostOf(
    {
      name: "a",
      version: "1.0.0",
      providers: [
        { type: "memory", name: " m ", provider: new Memory() },
        { type: "later", name: "l" },
      ],
    },
    new ManualClock(),
    logger,
  );
  const { providers } = await host.collect("/w", {});
  const [memory] = providers;
  if (memory?.type !== "memory") throw new Error("no memory");
  expect(memory.name).toBe("m");
  memory.provider.put("x" as never, {} as never);
  expect(await memory.provider.search("", {} as never)).toEqual(["x"]);
  expect(notes).toEqual(["providers[1] is of a type that is not known"]);
});
