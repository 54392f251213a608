/** What leaves a worker is JSON, walked once; anything else is a named error and costs nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { walk, type Walked } from "../../src/extensions/worker/json-walk.ts";
import { untag } from "../../src/extensions/worker/tagged.ts";
import { copyJson } from "../../src/tools/for-authors.ts";
import { ToolFailure } from "../../src/tools/index.ts";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

/** Over the wire and back. */
function crossed(walked: Walked): unknown {
  if (!walked.ok) throw new Error(walked.message);
  return JSON.parse(JSON.stringify(walked.value));
}

const anyValue = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withNullPrototype: true,
  withSparseArray: true,
});

describe("the walk over a value", () => {
  it("gives what the in-process copy gives, or the same words", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const here = copyJson(value, "result");
        const there = walk(value, "result");
        if (here.ok) expect(crossed(there)).toEqual(JSON.parse(JSON.stringify(here.value)));
        else expect(there).toEqual(here);
      }),
    );
  });

  it("keeps what JSON lacks by its tag", () => {
    const value = fc.oneof(
      fc.date(),
      fc.uint8Array(),
      fc.webUrl().map((url) => new URL(url)),
      fc.constantFrom(Number.NaN, Infinity, -Infinity),
      fc.record({ $lemon: fc.constantFrom("date", "object", 1), value: fc.jsonValue() }),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), value)), (list) => {
        const expected = walk(list, "part", true);
        const arrived = untag(crossed(expected));
        expect(crossed(walk(arrived, "part", true))).toEqual(crossed(expected));
      }),
    );
    const date = new Date(5);
    const parts = [
      { date, bytes: new Uint8Array([1, 2]), url: new URL("http://a/b"), error: new RangeError("r") },
    ];
    const [part] = untag(crossed(walk(parts, "part", true))) as typeof parts;
    expect(part).toEqual({
      ...parts[0],
      error: expect.objectContaining({ name: "RangeError", message: "r" }),
    });
    expect(part?.date).toBeInstanceOf(Date);
    expect(part?.error).toBeInstanceOf(Error);
  });

  it("refuses a shared graph that is a huge tree, and two million values, early", () => {
    let dag: unknown = [];
    for (let level = 0; level < 28; level += 1) dag = [dag, dag];
    expect(walk(dag, "result")).toEqual({ ok: false, message: "the value holds more than 200000 values" });
    const many = Array.from({ length: 150_000 }, () => ({}));
    expect(walk([many, many], "result")).toMatchObject({
      message: "the value holds more than 200000 values",
    });
  });
});

describe("a tool that returns", () => {
  const cases: [string, string, RegExp | string][] = [
    ["a function", "{ content: [], details: { f() {} } }", "details.f: a function is not a JSON value"],
    ["a symbol", "Symbol('x')", "result: a symbol is not a JSON value"],
    ["a BigInt", "{ details: { n: 1n } }", "details.n: a BigInt is not a JSON value"],
    ["NaN", "{ details: { list: [1, NaN] } }", "details.list.1: NaN is not a JSON value"],
    ["a Date", "{ details: { d: new Date() } }", "details.d: a Date is not a JSON value"],
    ["a Map", "{ details: { m: new Map() } }", "details.m: a Map is not a JSON value"],
    ["nothing", "undefined", "result: undefined is not a JSON value"],
    ["a cycle", "(() => { const a = {}; a.a = a; return a })()", "a: a cycle is not a JSON value"],
    ["a throwing getter", "{ get content() { throw new Error('mine') } }", "result could not be read: mine"],
    [
      "a revoked proxy",
      "(() => { const p = Proxy.revocable({}, {}); p.revoke(); return { p: p.proxy } })()",
      /could not be read/,
    ],
    [
      "a throwing proxy",
      "{ p: new Proxy({}, { ownKeys() { throw new Error('no') } }) }",
      "result could not be read: no",
    ],
    [
      "an endless proxy",
      "(() => { const h = { ownKeys: () => ['x'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (t, k) => k === 'then' ? undefined : new Proxy({}, h) }; return new Proxy({}, h) })()",
      "the value is nested deeper than 256 levels",
    ],
    [
      "100,000 levels",
      "(() => { let a = {}; for (let i = 0; i < 1e5; i += 1) a = { a }; return a })()",
      "the value is nested deeper than 256 levels",
    ],
    ["100 MB", "'x'.repeat(1e8)", "the value is larger than 8388608 characters"],
    ["500 MB", "{ content: 'x'.repeat(5e8) }", "the value is larger than 8388608 characters"],
    ["a huge empty array", "new Array(4e9)", "the value holds more than 200000 values"],
  ];
  it("what is no JSON has an error that names it, and its worker lives on", async () => {
    await using t = await testWorld();
    const tools = Object.fromEntries(cases.map(([, value], index) => [`t${index}`, `return ${value}`]));
    const { members } = await t.open(withTools({ ...tools, ok: "return text('ok')" }));
    for (const [index, [name, , words]] of cases.entries()) {
      const failure = await callTool(members, `t${index}`).catch((error: unknown) => error);
      if (!(failure instanceof ToolFailure)) throw new Error(`${name}: ${String(failure)}`);
      const { message } = failure;
      expect(failure.result.details).toEqual({ errorType: "unexpected_tool_result" });
      if (typeof words === "string") expect(message).toBe(`Unexpected tool result: ${words}`);
      else expect(message).toMatch(words);
    }
    expect(await textOf(callTool(members, "ok"))).toBe("ok");
    expect(t.seen.restarted).toEqual([]);
  });

  it("odd members loses them, and the host's prototypes stay as they are", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools({
        odd: `return { content: [{ type: "text", text: "\\ud800" }], details: JSON.parse('{"__proto__":{"polluted":1},"zero":-0}'), no: undefined }`,
      }),
    );
    const result = await callTool(members, "odd");
    expect(result).toEqual({ content: [{ type: "text", text: "\u{FFFD}" }], details: { zero: 0 } });
    expect(Object.is((result.details as { zero: number }).zero, 0)).toBe(true);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("a thenable that never stops is ended by the call's signal", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools({ bomb: "return { then(r) { r({ then(r2) { r2('end') } }) } }" }),
    );
    await expect(callTool(members, "bomb")).resolves.toBe("end");
  });

  it("a thrown error keeps the author's class, message, code and place", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools({
        boom: "class Boom extends Error { code = 'E_BOOM' } ; throw new Boom('it broke')",
        text: "throw 'just text'",
      }),
    );
    const error = (await callTool(members, "boom").catch((e: unknown) => e)) as Error & { code: string };
    expect([error.name, error.message, error.code]).toEqual(["Boom", "it broke", "E_BOOM"]);
    expect(error.stack).toContain("sample.mjs:3:");
    expect(error.stack).not.toContain("bootstrap");
    await expect(callTool(members, "text")).rejects.toBe("just text");
  });
});
