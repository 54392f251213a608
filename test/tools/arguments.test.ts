import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkArguments, parseArguments, readArguments } from "../../src/tools/arguments.ts";
import { toJsonSchema } from "../../src/tools/schema.ts";
import type { JsonSchema } from "../../src/tools/tool.ts";

function fixture(name: string): { parameters: JsonSchema } {
  const file = new URL(`../fixtures/cases/${name}`, import.meta.url);
  return { parameters: JSON.parse(readFileSync(file, "utf8")) as JsonSchema };
}

const withProperties = (
  properties: Record<string, unknown>,
  required: string[] = [],
): { parameters: JsonSchema } => ({
  parameters: { type: "object", properties, required },
});

async function errorsOf(
  tool: { parameters: JsonSchema },
  args: Record<string, unknown>,
): Promise<readonly string[]> {
  const outcome = await checkArguments(tool, args);
  if (outcome.ok) throw new Error(`expected a refusal, got ${JSON.stringify(outcome.args)}`);
  expect(outcome.errorType).toBe("invalid_tool_arguments");
  return outcome.errors ?? [];
}

async function argsOf(tool: { parameters: JsonSchema }, args: Record<string, unknown>): Promise<unknown> {
  const outcome = await checkArguments(tool, args);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.args;
}

describe("argument text", () => {
  it.each([null, undefined, "", " ", "\n\t", "{}", " {} "])("%j is no arguments", (text) => {
    expect(parseArguments(text)).toEqual({ ok: true, args: {} });
  });

  it.each([
    '{"path":"notes.txt","content":"line one\\nline t',
    "{",
    '{"a"',
    '{"a":',
    '{"a":1,',
    '{"a":[1,{"b":tr',
    '{"a":-',
    '{"a":1.',
    '{"a":1e+',
    '{"a":"\\',
    '{"a":"\\u00',
    "[1,",
  ])("%j ended early", (text) => {
    expect(parseArguments(text)).toMatchObject({
      ok: false,
      errorType: "incomplete_tool_arguments",
      message: "Tool arguments were incomplete",
    });
  });

  it.each([
    "{a:1}",
    "{'a':1}",
    '{"a":1}}',
    '{"a":1,}',
    '{"a":01}',
    '{"a":"\n',
    "[1]",
    '"{}"',
    "null",
    "7",
    '{"a":NaN',
    '{"a":1} x',
    '{"a" 1',
  ])("%j is invalid", (text) => {
    expect(parseArguments(text)).toMatchObject({ ok: false, errorType: "invalid_tool_arguments" });
  });

  it("is not quoted in the message, since it may hold a secret", () => {
    expect(JSON.stringify(parseArguments("{token: s3cr3t}"))).not.toContain("s3cr3t");
  });

  it("nested beyond all reason is refused instead of overflowing the stack", () => {
    const text = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(parseArguments(text)).toMatchObject({ ok: false, errorType: "invalid_tool_arguments" });
  });
});

describe("schemas", () => {
  it("of the 2020-12 dialect are checked as such", async () => {
    const tool = fixture("schema-2020-12.json");
    const good = { url: "https://example.test/", size: [800, 600] };
    expect(await argsOf(tool, good)).toBe(good);
    expect(await errorsOf(tool, { size: [800, 600] })).toEqual(['missing required argument "url"']);
    expect((await errorsOf(tool, { url: "u", size: [1, 2, 3] })).join()).toContain("size");
    expect((await errorsOf(tool, { url: "u", size: [true, {}] })).join()).toContain("size");
  });

  it("may point at their own definitions", async () => {
    const tool = fixture("schema-local-ref.json");
    expect(await argsOf(tool, { mode: "fit" })).toEqual({ mode: "fit" });
    expect(await errorsOf(tool, { mode: "crop" })).toEqual(['mode: must be one of "fit", "raw"']);
  });

  it("may use formats that nobody knows", async () => {
    const tool = fixture("schema-foreign-format.json");
    expect(await argsOf(tool, { count: 3, wait: "5s" })).toEqual({ count: 3, wait: "5s" });
    expect(await errorsOf(tool, { count: "three" })).toEqual(["count: must be integer"]);
    expect(await errorsOf(tool, { count: -1 })).toEqual(["count: must be >= 0"]);
  });

  it("of no parameters take any way to say nothing", async () => {
    let runs = 0;
    for (const schema of [
      {},
      { type: "object" },
      { type: "object", properties: {} },
      { type: "object", properties: {}, required: [] },
    ]) {
      const outcome = await toJsonSchema(schema);
      if ("problem" in outcome) throw new Error(outcome.problem);
      for (const text of ["{}", "", null, " "]) {
        expect(await readArguments({ parameters: outcome.schema }, text)).toEqual({ ok: true, args: {} });
        runs += 1;
      }
    }
    expect(runs).toBe(16);
  });

  it("of one $id don't clash", async () => {
    const parameters = {
      $id: "https://example.test/same",
      type: "object",
      properties: { a: { type: "string" } },
    };
    expect(await argsOf({ parameters }, { a: "x" })).toEqual({ a: "x" });
    expect(await argsOf({ parameters: { ...parameters } }, { a: "y" })).toEqual({ a: "y" });
  });

  it.each([
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
    "https://example.test/own",
    7,
  ])("of the unknown dialect %j are tried as draft-07", async ($schema) => {
    const parameters = { $schema, type: "object", required: ["a"] } as JsonSchema;
    expect(await errorsOf({ parameters }, {})).toEqual(['missing required argument "a"']);
  });

  it("don't take an inherited member for an argument", async () => {
    const tool = { parameters: { type: "object", required: ["constructor", "toString"] } };
    expect(await errorsOf(tool, {})).toHaveLength(2);
    expect(await argsOf(withProperties({ toString: { type: "string" } }), {})).toEqual({});
  });

  it("don't fill in defaults", async () => {
    expect(await argsOf(withProperties({ limit: { type: "integer", default: 5 } }), {})).toEqual({});
  });
});

describe("coercion", () => {
  it.each(['{"a":1}\n', "[1,2]", "true", "0012", "null", ""])(
    "leaves the text %j where a text is wanted",
    async (note) => {
      const args = { note };
      expect(await argsOf(withProperties({ note: { type: "string" } }), args)).toBe(args);
    },
  );

  it("leaves a text that fits alone while it mends its neighbour", async () => {
    const tool = withProperties({
      either: { anyOf: [{ type: "number" }, { type: "string" }] },
      count: { type: "integer" },
    });
    expect(await argsOf(tool, { either: "5", count: "5" })).toEqual({ either: "5", count: 5 });
  });

  it.each([
    ["integer", "12", 12],
    ["number", "1.5", 1.5],
    ["integer", true, 1],
    ["boolean", "true", true],
    ["boolean", 0, false],
    ["string", 5, "5"],
    ["string", false, "false"],
    ["null", "", null],
  ])("to %s makes %j into %j", async (type, given, wanted) => {
    expect(await argsOf(withProperties({ v: { type } }), { v: given })).toEqual({ v: wanted });
  });

  it.each([
    ["integer", "1.5"],
    ["integer", ""],
    ["integer", "1e999"],
    ["boolean", "yes"],
    ["boolean", 2],
    ["string", ["a"]],
    ["string", {}],
    ["array", "a"],
  ])("to %s refuses %j", async (type, given) => {
    expect(await errorsOf(withProperties({ v: { type } }), { v: given })).toEqual([`v: must be ${type}`]);
  });

  it("reads a text as the object or array that is wanted, members of it included", async () => {
    const tool = withProperties({
      list: { type: "array", items: { type: "integer" } },
      deep: {
        type: "object",
        properties: { inner: { type: "object", properties: { n: { type: "integer" } } } },
      },
    });
    expect(await argsOf(tool, { list: '["1",2]', deep: '{"inner":"{\\"n\\":\\"3\\"}"}' })).toEqual({
      list: [1, 2],
      deep: { inner: { n: 3 } },
    });
    expect(await errorsOf(tool, { list: "{}" })).toEqual(["list: must be array"]);
    expect(await errorsOf(tool, { list: "[1" })).toEqual(["list: must be array"]);
  });

  it("does not read a text where a number would do as well", async () => {
    const tool = withProperties({ v: { type: ["object", "number"] } });
    expect(await errorsOf(tool, { v: "{}" })).toEqual(["v: must be object or number"]);
  });

  it("removes a null from an optional argument and refuses it for a required one", async () => {
    const tool = withProperties({ a: { type: "string" }, n: { type: "integer" } }, ["n"]);
    expect(await argsOf(tool, { a: null, n: 1 })).toEqual({ n: 1 });
    expect(await errorsOf(tool, { n: null })).toEqual(["n: must be integer"]);
    expect(await errorsOf(tool, { a: null, n: null })).toEqual(["n: must be integer"]);
  });

  it("keeps a null that is allowed, and refuses one in a list", async () => {
    const tool = withProperties({
      a: { type: ["string", "null"] },
      list: { type: "array", items: { type: "string" } },
      n: { type: "integer" },
    });
    expect(await argsOf(tool, { a: null, n: "1" })).toEqual({ a: null, n: 1 });
    expect(await errorsOf(tool, { list: [null] })).toEqual(["list.0: must be string"]);
  });

  it("finds the branch of a union that the arguments mean", async () => {
    const parameters = {
      type: "object",
      anyOf: [
        { properties: { kind: { const: "a" }, value: { type: "boolean" } }, required: ["kind", "value"] },
        { properties: { kind: { const: "b" }, value: { type: "integer" } }, required: ["kind", "value"] },
      ],
    };
    expect(await argsOf({ parameters }, { kind: "b", value: "1" })).toEqual({ kind: "b", value: 1 });
  });

  it("does not change the object that it was given", async () => {
    const args = { n: "1", deep: { n: "2" } };
    const tool = withProperties({
      n: { type: "integer" },
      deep: { type: "object", properties: { n: { type: "integer" } } },
    });
    expect(await argsOf(tool, args)).toEqual({ n: 1, deep: { n: 2 } });
    expect(args).toEqual({ n: "1", deep: { n: "2" } });
  });

  it("keeps a key named __proto__ a key", async () => {
    const args = JSON.parse('{"__proto__":{"x":1},"n":"1"}') as Record<string, unknown>;
    const result = await argsOf(withProperties({ n: { type: "integer" } }), args);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1},"n":1}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("messages", () => {
  it("name nested places with dots", async () => {
    const tool = withProperties({
      size: {
        type: "array",
        items: {
          type: "object",
          properties: { w: { type: "integer" } },
          required: ["w"],
          additionalProperties: false,
        },
      },
    });
    expect(await errorsOf(tool, { size: [{ w: "x" }, {}, { w: 1, h: 2 }] })).toEqual([
      "size.0.w: must be integer",
      'size.1: missing required argument "w"',
      "size.2.h: is not a known argument",
    ]);
  });

  it("are joined into one text", async () => {
    const outcome = await checkArguments(withProperties({ a: {}, b: {} }, ["a", "b"]), {});
    expect(outcome).toMatchObject({
      message: 'Invalid tool arguments: missing required argument "a"; missing required argument "b"',
    });
  });

  it("keep unknown arguments unless the schema forbids them", async () => {
    expect(await argsOf(withProperties({}), { extra: 1 })).toEqual({ extra: 1 });
  });

  it("stop at twenty", async () => {
    const errors = await errorsOf(withProperties({ list: { type: "array", items: { type: "integer" } } }), {
      list: Array(50).fill("x"),
    });
    expect(errors).toHaveLength(21);
    expect(errors.at(-1)).toBe("and 30 more");
  });
});

describe("other spellings", () => {
  const tool = {
    ...withProperties({ path: { type: "string" } }, ["path"]),
    otherSpellings: { file_path: "path", filePath: "path" },
  };

  it("are read as the tool's own word", async () => {
    expect(await argsOf(tool, { file_path: "a" })).toEqual({ path: "a" });
  });

  it("never replace the tool's own word", async () => {
    expect(await argsOf(tool, { file_path: "a", path: "b" })).toEqual({ file_path: "a", path: "b" });
    expect(await argsOf(tool, { file_path: "a", filePath: "b" })).toEqual({ path: "a" });
  });
});
