import fc from "fast-check";
import { describe as group, expect, test } from "vitest";
import { type HookName, hookNames } from "../../src/extensions/hooks.ts";
import { collectMembers } from "../../src/extensions/members/collect.ts";
import { definitionIn, describe } from "../../src/extensions/members/describe.ts";
import type { MemberPorts } from "../../src/extensions/members/ports.ts";
import { ManualClock } from "../support/manual-clock.ts";

const execute = () => ({ content: [] });
const tool = (name: string) => ({ name, description: "", execute });

function portsOf(clock = new ManualClock()): MemberPorts {
  return { setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire) };
}

const said = async (definition: object) => describe(definition, portsOf());
const collected = async (definition: object, config = {}) =>
  collectMembers(definition, "/w", config, portsOf());

group("what an extension says of itself", () => {
  test("values and functions are read alike, and defaults are empty", async () => {
    const full = {
      name: "a-b",
      version: "1.0.0-rc.1+b",
      capabilities: ["tools"],
      configSchema: { type: "object" },
    };
    const expected = { ...full, errors: {}, warnings: [] };
    expect(await said(full)).toEqual(expected);
    expect(
      await said({
        name: () => "a-b",
        version: async () => "1.0.0-rc.1+b",
        capabilities: () => ["tools"],
        configSchema: async () => ({ type: "object" }),
      }),
    ).toEqual(expected);
    expect(await said({ name: "a", version: "1.0.0" })).toEqual({
      name: "a",
      version: "1.0.0",
      capabilities: [],
      configSchema: {},
      errors: {},
      warnings: [],
    });
  });

  test("a class keeps its getters, its methods and its `this`", async () => {
    class Author {
      #name = "of-class";
      get name() {
        return this.#name;
      }
      version() {
        return `1.0.${this.#name.length}`;
      }
    }
    expect(await said(new Author())).toMatchObject({ name: "of-class", version: "1.0.8", errors: {} });
  });

  test.each([
    [{}, ["missing required field: name"], ["missing required field: version"]],
    [{ name: "", version: null }, ["missing required field: name"], ["missing required field: version"]],
    [{ name: "  ", version: " " }, ["missing required field: name"], ["missing required field: version"]],
    [
      { name: 1, version: [] },
      ["name must be a string, got number"],
      ["version must be a string, got array"],
    ],
    [
      { name: {}, version: () => true },
      ["name must be a string, got object"],
      ["version must be a string, got boolean"],
    ],
  ])("%j has no usable name and version", async (definition, name, version) => {
    expect(await said(definition)).toMatchObject({ name: null, version: null, errors: { name, version } });
  });

  test.each([
    ["a number", 1, "number"],
    ["null", null, "null"],
    ["a text", "x", "string"],
  ])("%s is neither capabilities nor configSchema", async (_what, value, kind) => {
    const { errors } = await said({ name: "a", version: "1.0.0", capabilities: value, configSchema: value });
    expect(errors).toEqual({
      capabilities: [`capabilities must be an array, got ${kind}`],
      configSchema: [`configSchema must be an object, got ${kind}`],
    });
  });

  test("a list is no configSchema, an object no capabilities", async () => {
    const { errors } = await said({ name: "a", version: "1.0.0", capabilities: {}, configSchema: [] });
    expect(errors).toEqual({
      capabilities: ["capabilities must be an array, got object"],
      configSchema: ["configSchema must be an object, got array"],
    });
  });

  test("all faults are found, whatever is thrown", async () => {
    const hostile = Object.defineProperty({}, "message", {
      get() {
        throw new Error("no");
      },
    });
    const { errors } = await said({
      get name() {
        throw new Error("boom");
      },
      version: async () => Promise.reject(new Error("late boom")),
      capabilities() {
        throw undefined as unknown as Error;
      },
      configSchema() {
        throw Object.setPrototypeOf(hostile, null) as Error;
      },
    });
    expect(errors).toEqual({
      name: ["name raised an error: boom"],
      version: ["version raised an error: late boom"],
      capabilities: ["capabilities raised an error: undefined"],
      configSchema: ["configSchema raised an error: what it threw can't be read"],
    });
  });

  test("a member has 5,000 ms, a promise as much as a function", async () => {
    const clock = new ManualClock();
    const never = new Promise<string>(() => undefined);
    const waiting = describe({ name: () => never, version: never }, portsOf(clock));
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.resolve();
      clock.advance(4999);
      expect(clock.pending).toBe(1);
      clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await waiting).errors).toEqual({
      name: ["name raised an error: timed out after 5000ms"],
      version: ["version raised an error: timed out after 5000ms"],
    });
    expect(clock.pending).toBe(0);
  });

  test.each(["Upper", "under_score", "-a", "a--b", "a b"])(
    "the name %j is kept with a warning",
    async (name) => {
      const { warnings } = await said({ name, version: "1.0.0" });
      expect(warnings).toEqual([`name ${JSON.stringify(name)} is not lower case with hyphens`]);
    },
  );

  test.each(["1", "1.0", "v1.0.0", "01.0.0", "1.0.0-"])(
    "the version %j is kept with a warning",
    async (version) => {
      const { warnings } = await said({ name: "a", version });
      expect(warnings).toEqual([`version ${JSON.stringify(version)} is no semantic version`]);
    },
  );

  test("what is no text in capabilities, and no JSON in configSchema, is told", async () => {
    expect(
      await said({
        name: "a",
        version: "1.0.0",
        capabilities: ["a", 1, "b"],
        configSchema: { x: new Date() },
      }),
    ).toMatchObject({
      capabilities: ["a", "b"],
      warnings: ["capabilities: what is no text was left out"],
      errors: { configSchema: ["configSchema must be JSON: x: a Date is not a JSON value"] },
    });
  });

  test("the default of a compiled CommonJS module is inside", () => {
    const inner = { name: "a" };
    expect(definitionIn({ __esModule: true, default: inner })).toBe(inner);
    expect(definitionIn(inner)).toBe(inner);
    expect(definitionIn({ default: inner })).toEqual({ default: inner });
    expect(definitionIn(undefined)).toBeUndefined();
  });
});

group("what an extension brings", () => {
  test("nothing is nothing", async () => {
    expect(await collected({})).toEqual({
      tools: [],
      hooks: { owner: undefined, table: {} },
      providers: [],
      errors: {},
      warnings: [],
      notes: [],
    });
    const empty = { tools: () => undefined, hooks: () => undefined, providers: async () => undefined };
    expect(await collected(empty)).toMatchObject({ tools: [], providers: [], errors: {} });
  });

  test("functions are told folder and settings, each its own copy", async () => {
    const seen: unknown[] = [];
    const take = (...given: unknown[]): [] => {
      seen.push(JSON.parse(JSON.stringify(given)));
      const { config } = given.at(-1) as { config: { deep: { list: number[] } } };
      config.deep.list.push(2);
      return [];
    };
    const config = { deep: { list: [1] } };
    await collected(
      { tools: take, providers: take, hooks: (options: unknown) => void take(options) },
      config,
    );
    expect(seen).toEqual([["/w", { config }], [{ config }], [{ config }]]);
    expect(config).toEqual({ deep: { list: [1] } });
  });

  test("a bad tool is left out with a warning; two of one name stay, in order", async () => {
    const { tools, warnings, errors } = await collected({
      tools: [
        tool("one"),
        { name: "two", description: "" },
        tool("bad name"),
        null,
        { ...tool("one"), description: "again", timeoutMs: -1 },
      ],
    });
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ["one", ""],
      ["one", "again"],
    ]);
    expect(warnings).toHaveLength(4);
    expect(errors).toEqual({});
  });

  test("a schema that doesn't compile is for the host to find when it says so", async () => {
    const parameters = { type: "object", properties: { a: { $ref: "#/$defs/no" } } };
    const definition = { tools: [{ ...tool("t"), parameters }] };
    expect((await collected(definition)).tools).toEqual([]);
    const lazily = await collectMembers(definition, "/w", {}, { ...portsOf(), compiles: false });
    expect(lazily.tools).toHaveLength(1);
  });

  test.each([
    ["tools", {}, "tools must be an array, got object"],
    ["tools", () => null, "tools must be an array, got null"],
    ["providers", "x", "providers must be an array, got string"],
    ["hooks", [], "hooks must be an object, got array"],
    ["hooks", null, "hooks must be an object, got null"],
    ["hooks", async () => 5, "hooks must be an object, got number"],
  ])("%s that is %j is an error", async (name, value, message) => {
    expect((await collected({ [name]: value })).errors).toEqual({ [name]: [message] });
  });

  test("a member that throws costs itself alone", async () => {
    const thrower = () => {
      throw new Error("boom");
    };
    const { errors, tools } = await collected({
      tools: [tool("a")],
      providers: thrower,
      hooks: {
        get onToolCall() {
          return thrower();
        },
      },
    });
    expect(errors).toEqual({
      hooks: ["hooks raised an error: boom"],
      providers: ["providers raised an error: boom"],
    });
    expect(tools).toHaveLength(1);
  });

  test("handlers stand in the order of their lists, for every hook", async () => {
    const lists = fc.dictionary(
      fc.constantFrom(...hookNames),
      fc.array(fc.constantFrom("function", "text", "null"), { maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(lists, fc.boolean(), async (shape, asFunction) => {
        const table = Object.fromEntries(
          Object.entries(shape).map(([name, kinds]) => [
            name,
            kinds.map((kind, index) => (kind === "function" ? () => index : kind === "text" ? "no" : null)),
          ]),
        );
        const { hooks, warnings } = await collected({ hooks: asFunction ? () => table : table });
        for (const name of hookNames) expect(hooks.table[name] ?? []).toEqual(table[name] ?? []);
        expect(hooks.owner).toBe(table);
        const bad = Object.values(shape)
          .flat()
          .filter((kind) => kind !== "function");
        expect(warnings).toHaveLength(bad.length);
      }),
    );
  });

  test("one function is as good as a list, a class as good as a table", async () => {
    class Hooks {
      onToolCall() {
        return this;
      }
    }
    const owner = new Hooks();
    const { hooks } = await collected({ hooks: owner });
    const [handler] = hooks.table.onToolCall ?? [];
    expect((handler as (this: unknown) => unknown).call(hooks.owner)).toBe(owner);
  });

  test("an unknown hook and one that is no function are told", async () => {
    const { warnings, hooks } = await collected({
      hooks: { onFoo: () => 1, onToolCall: "x", onTurnEnd: [] },
    });
    expect(warnings).toEqual([
      'unknown hook "onFoo" is never called',
      "hook onToolCall is not a function but string",
    ]);
    expect(Object.keys(hooks.table)).toEqual(["onToolCall"] satisfies HookName[]);
  });

  test("providers are kept with the functions that they have", async () => {
    class Memory {
      put() {}
      search() {}
    }
    const { providers, warnings, notes } = await collected({
      providers: [
        { type: "model", name: " acme ", provider: { stream() {} }, config: { url: "x" } },
        { type: "memory", name: "m", provider: new Memory(), config: 5 },
        { type: "search", name: "s", provider: { extract() {} } },
        { type: "later", name: "l", provider: {} },
      ],
    });
    expect(providers.map(({ type, name, config, functions }) => ({ type, name, config, functions }))).toEqual(
      [
        { type: "model", name: "acme", config: { url: "x" }, functions: ["stream"] },
        { type: "memory", name: "m", config: {}, functions: ["put", "search"] },
        { type: "search", name: "s", config: {}, functions: ["extract"] },
      ],
    );
    expect(warnings).toEqual([]);
    expect(notes).toEqual(["providers[3] is of a type that is not known"]);
  });

  test.each([
    [{ type: "model", name: "a", provider: {} }, 'providers[0]: model provider "a" has no function stream'],
    [
      { type: "memory", name: "a", provider: { put() {} } },
      'providers[0]: memory provider "a" has no function search',
    ],
    [
      { type: "search", name: "a", provider: {} },
      'providers[0]: search provider "a" has no function search or extract',
    ],
    [{ type: "search", name: " ", provider: {} }, "providers[0].name must be a non-empty string"],
    [
      { type: "model", name: "a" },
      'providers[0]: model provider "a" must have an object as provider, got undefined',
    ],
    ["x", "providers[0] must be an object, got string"],
  ])("%j is left out with a warning", async (provider, warning) => {
    expect(await collected({ providers: [provider] })).toMatchObject({
      providers: [],
      warnings: [warning],
      errors: {},
    });
  });

  test("who asks is told which member runs", async () => {
    const asked: string[] = [];
    const ports = { ...portsOf(), onMember: (name: string) => void asked.push(name) };
    await describe({}, ports);
    await collectMembers({}, "/w", {}, ports);
    expect(asked).toEqual(["name", "version", "capabilities", "configSchema", "tools", "hooks", "providers"]);
  });
});
