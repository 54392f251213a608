/** Schemas of tools and the arguments that models make of them. Each test is named by the situation that it plays through. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { ScriptedToolCall } from "../../src/providers/index.ts";
import { noting, resultsIn, startCase, type SeenResult } from "./session.ts";

const fixtures = path.resolve(import.meta.dirname, "../fixtures/cases");
const schemaOf = (name: string): unknown => JSON.parse(readFileSync(path.join(fixtures, name), "utf8"));

interface Played {
  readonly entered: readonly { readonly tool: string; readonly args: unknown }[];
  /** Of each call, in order. */
  readonly results: readonly SeenResult[];
  readonly offered: ReadonlyMap<string, unknown>;
}

/** One answer per call, as a model that goes on after each result would give them. */
async function play(
  schemas: Readonly<Record<string, unknown>>,
  calls: readonly ScriptedToolCall[],
): Promise<Played> {
  const { extension, entered } = noting(schemas);
  const turns = [...calls.map((call) => ({ toolCalls: [call] })), { text: "ok" }];
  const { session, requests, close } = await startCase(turns, { extensions: [extension] });
  try {
    expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "ok" });
    return {
      entered,
      results: requests.slice(1).flatMap((request) => resultsIn(request)),
      offered: new Map(requests[0]?.tools.map(({ name, parameters }) => [name, parameters])),
    };
  } finally {
    await close();
  }
}

const refused = (field: string): object => ({
  isError: true,
  text: expect.stringContaining(field) as string,
});

test("schema-2020-12-dialect: arguments are held to the dialect that the schema names", async () => {
  const url = "https://example.test/";
  const args = [
    { url, size: [800, 600] },
    { size: [800, 600] },
    { url, size: [1, 2, 3] },
    { url, size: [true, {}] },
  ];
  const shots = args.map((each) => ({ name: "shot", args: each }));
  const { entered, results, offered } = await play({ shot: schemaOf("schema-2020-12.json") }, shots);

  expect(offered.has("shot")).toBe(true);
  expect(entered).toEqual([{ tool: "shot", args: args[0] }]);
  expect(results).toMatchObject([{ isError: false }, refused("url"), refused("size"), refused("size")]);
});

test("schema-local-ref: a definition inside the schema counts, and the model is handed it", async () => {
  const calls = ["fit", "crop"].map((mode) => ({ name: "pick", args: { mode } }));
  const { entered, results, offered } = await play({ pick: schemaOf("schema-local-ref.json") }, calls);

  expect(entered).toEqual([{ tool: "pick", args: { mode: "fit" } }]);
  expect(results).toMatchObject([{ isError: false }, refused("mode")]);
  const parameters = JSON.stringify(offered.get("pick"));
  expect(parameters).toContain('"enum":["fit","raw"]');
  if (parameters.includes("$ref")) expect(offered.get("pick")).toHaveProperty("$defs.Mode");
});

test("schema-foreign-format: formats that no dialect knows are passed over in silence", async () => {
  const said = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
  const calls = [{ count: 3, wait: "5s" }, { count: "three" }, { count: -1 }].map((args) => ({
    name: "poll",
    args,
  }));
  const { entered, results } = await play({ poll: schemaOf("schema-foreign-format.json") }, calls);
  const writes = said.map(({ mock }) => mock.calls.length);
  for (const spy of said) spy.mockRestore();

  expect(entered).toEqual([{ tool: "poll", args: { count: 3, wait: "5s" } }]);
  expect(results).toMatchObject([{ isError: false }, refused("count"), refused("count")]);
  expect(writes).toEqual([0, 0]);
});

test("tool-without-parameters: every way to say no arguments runs the tool with none", async () => {
  const object = { type: "object" };
  const schemas = {
    a: {},
    b: object,
    c: { ...object, properties: {} },
    d: { ...object, properties: {}, required: [] },
  };
  const names = Object.keys(schemas);
  const calls = names.flatMap((name) => [
    { name, rawArguments: "{}" },
    { name, rawArguments: "" },
    { name },
    { name, rawArguments: " " },
  ]);
  const { entered, results, offered } = await play(schemas, calls);

  expect(names.every((name) => offered.has(name))).toBe(true);
  expect(entered).toEqual(calls.map(({ name }) => ({ tool: name, args: {} })));
  expect(results.filter(({ isError }) => isError)).toEqual([]);
});

test("string-arg-that-looks-like-json: it stays the string that it is", async () => {
  const texts = { "a.json": '{"a":1}\n', "b.json": "[1,2]", "c.txt": "true", "d.txt": "0012" };
  const { extension, entered } = noting({
    note: { type: "object", properties: { note: { type: "string" } }, required: ["note"] },
  });
  const toolCalls = Object.entries(texts).flatMap(([name, content]) => [
    { name: "write", args: { path: name, content } },
    { name: "note", args: { note: content } },
  ]);
  const { cwd, session, requests, close } = await startCase([{ toolCalls }, { text: "ok" }], {
    extensions: [extension],
  });
  await session.prompt("go");
  await close();

  for (const [name, content] of Object.entries(texts)) {
    expect(readFileSync(path.join(cwd, name)).toString("hex")).toBe(Buffer.from(content).toString("hex"));
  }
  expect(entered.map(({ args }) => args)).toEqual(Object.values(texts).map((note) => ({ note })));
  expect(resultsIn(requests[1]).filter(({ isError }) => isError)).toEqual([]);
});
