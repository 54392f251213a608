import { expect, test } from "vitest";
import { InvalidValueError } from "../../src/events/index.ts";
import { openEventLog } from "../../src/log/index.ts";
import { collect, newFact, openForTest, temporaryFile } from "./support/facts.ts";

const circular: Record<string, unknown> = {};
circular["self"] = circular;

test.each<[string, unknown, string]>([
  ["NaN", Number.NaN, "data.v"],
  ["Infinity", Number.POSITIVE_INFINITY, "data.v"],
  ["-0", -0, "data.v"],
  ["a BigInt", 9007199254740993n, "data.v"],
  ["a Date", new Date("2024-01-02T03:04:05.006Z"), "data.v"],
  ["a Map", new Map([["a", 1]]), "data.v"],
  ["a Set", new Set([1]), "data.v"],
  ["a Uint8Array", Uint8Array.from([0, 255]), "data.v"],
  ["an object that contains itself", circular, "data.v.self"],
  ["a function", (): number => 1, "data.v"],
  ["a symbol", Symbol("v"), "data.v"],
  ["undefined inside an array", [undefined], "data.v.0"],
])("%s is refused, naming the field, and nothing is added", async (_name, v, field) => {
  const log = await openForTest(":memory:");
  const append = log.append("s", "none", [newFact({ v })]);
  await expect(append).rejects.toThrow(InvalidValueError);
  await expect(append).rejects.toMatchObject({ code: "LEMON_INVALID_VALUE", field });
  expect(await log.info()).toMatchObject({ facts: 0, streams: 0 });
});

test.each<[string, unknown]>([
  ["the text a U+0000 b", "a\0b"],
  ["the text U+D800 alone", "\ud800"],
  ["a text of 5 million characters", "é€😀a".repeat(1_000_000)],
  ["a key with U+0000 and a lone surrogate", { "a\0\udc00": 1 }],
  ["a key __proto__", JSON.parse('{"__proto__":{"a":1}}')],
  ["numbers at the edge", [Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 1e308, -1]],
  ["nothing", null],
])("%s is read back equal after reopening, and equals what the append gave", async (_name, v) => {
  const file = temporaryFile();
  const log = await openEventLog(file);
  const [appended] = await log.append("s", "none", [newFact({ v })]);
  expect(appended?.data).toStrictEqual({ v });
  await log.close();

  const reopened = await openForTest(file);
  expect(await collect(reopened.read("s"))).toStrictEqual([appended]);
  expect(await collect(reopened.verify())).toEqual([]);
});

test("a key whose value is undefined is dropped, in memory as in the log", async () => {
  const log = await openForTest(":memory:");
  const [appended] = await log.append("s", "none", [newFact({ v: undefined, w: { x: undefined } })]);
  expect(appended?.data).toStrictEqual({ w: {} });
  expect(await collect(log.read("s"))).toStrictEqual([appended]);
});
