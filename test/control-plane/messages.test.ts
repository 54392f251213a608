import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { LineClient } from "./support/plane.ts";
import { Plane, post, type Json } from "./support/plane.ts";

const fixture = readFileSync(
  path.resolve(import.meta.dirname, "../fixtures/cases/json-rpc-malformed.txt"),
  "utf8",
);
const lines = fixture.split("\n").filter((line) => line !== "");

interface Expected {
  readonly error?: readonly number[];
  readonly result?: true;
  readonly id?: readonly unknown[];
  readonly reply?: false;
}

const nothing: Expected = { reply: false };
const replies: readonly Expected[] = [
  { error: [-32700], id: [null] },
  { error: [-32600], id: [null] },
  { error: [-32600], id: [2, null] },
  { error: [-32601], id: [3] },
  { error: [-32600, -32602], id: [4, null] },
  { error: [-32602], id: [5] },
  { reply: false },
  { reply: false },
  { error: [-32600], id: [6, null] },
  { error: [-32600], id: [null] },
  { result: true, id: ["s-7"] },
  { result: true, id: [0] },
];

function check(answer: Json, expected: Expected): void {
  if (expected.error !== undefined) expect(expected.error).toContain(answer.error?.code);
  if (expected.result === true) expect(answer.result).toBeDefined();
  expect(expected.id).toContain(answer.id);
}

describe("every line of the malformed messages gets exactly its reply", () => {
  test("over lines", async () => {
    const client = await (await Plane.withSession()).lineClient();
    let count = 0;
    for (const [at, line] of lines.entries()) {
      const expected = replies[at] ?? nothing;
      const answers = expected.reply === false ? await client.answersTo(line) : [await client.next(line)];
      count += answers.length;
      expect(answers).toHaveLength(expected.reply === false ? 0 : 1);
      if (expected.reply !== false) check(answers[0], expected);
    }
    expect(count).toBe(10);
  });

  test("over HTTP", async () => {
    const { url } = await (await Plane.withSession()).http();
    let count = 0;
    for (const [at, line] of lines.entries()) {
      const { status, body } = await post(url, line);
      const expected = replies[at] ?? nothing;
      expect(status).toBe(expected.reply === false ? 204 : 200);
      if (body === null) continue;
      count += 1;
      check(body, expected);
    }
    expect(count).toBe(10);
  });
});

const PARSE = -32700;
const REQUEST = -32600;
const METHOD = -32601;
const PARAMS = -32602;
const call = (members: object): string => JSON.stringify({ jsonrpc: "2.0", ...members });
const get = (params: unknown): string => call({ id: 1, method: "sessions.get", params });
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

/** What is sent, and the error and id of each answer; an empty list: none; `batch`: they come as one array. */
const variants: readonly (readonly [
  string,
  string | Buffer,
  readonly (readonly [number, unknown])[],
  "batch"?,
])[] = [
  ["nothing", "", [[PARSE, null]]],
  ["blanks", "   ", [[PARSE, null]]],
  ["half an object", '{"jsonrpc"', [[PARSE, null]]],
  ["two objects", '{"jsonrpc":"2.0"} {"jsonrpc":"2.0"}', [[PARSE, null]]],
  ["single quotes", "{'jsonrpc':'2.0'}", [[PARSE, null]]],
  ["a trailing comma", '{"jsonrpc":"2.0",}', [[PARSE, null]]],
  ["a comment", '{"jsonrpc":"2.0"} // x', [[PARSE, null]]],
  ["NaN", '{"jsonrpc":"2.0","id":NaN}', [[PARSE, null]]],
  ["a word", "hello", [[PARSE, null]]],
  ["an unescaped control character", '{"jsonrpc":"2.0","id":"\u0001"}', [[PARSE, null]]],
  [
    "bytes that are not UTF-8",
    bytes('{"jsonrpc":"2.0","id":"', [0xff, 0xfe], '","method":"x"}'),
    [[PARSE, null]],
  ],
  ["a cut code point", bytes('{"jsonrpc":"2.0","id":"', [0xe2, 0x82], '"}'), [[PARSE, null]]],
  ["an encoded surrogate", bytes('{"jsonrpc":"2.0","id":"', [0xed, 0xa0, 0x80], '"}'), [[PARSE, null]]],
  ["a NUL", bytes([0]), [[PARSE, null]]],
  ["half of a batch", '[{"jsonrpc":"2.0","id":1,"method":"x"},', [[PARSE, null]]],
  ["100,000 open brackets", "[".repeat(100_000), [[PARSE, null]]],
  ["null", "null", [[REQUEST, null]]],
  ["true", "true", [[REQUEST, null]]],
  ["a string", '"x"', [[REQUEST, null]]],
  ["a number", "1e5", [[REQUEST, null]]],
  ["an empty object", "{}", [[REQUEST, null]]],
  ["an empty batch", "[]", [[REQUEST, null]]],
  [
    "a batch of 101",
    `[${Array(101)
      .fill(call({ id: 1, method: "x" }))
      .join(",")}]`,
    [[REQUEST, null]],
  ],
  [
    "a batch of numbers",
    "[1,2,3]",
    [
      [REQUEST, null],
      [REQUEST, null],
      [REQUEST, null],
    ],
    "batch",
  ],
  ["a batch in a batch", `[[${call({ id: 1, method: "x" })}]]`, [[REQUEST, null]], "batch"],
  ["a deep batch", nested(100_000), [[REQUEST, null]], "batch"],
  ["no version", '{"id":1,"method":"x"}', [[REQUEST, 1]]],
  ["a version that is a number", '{"jsonrpc":2.0,"id":1,"method":"x"}', [[REQUEST, 1]]],
  ["a version with a blank", '{"jsonrpc":"2.0 ","id":1,"method":"x"}', [[REQUEST, 1]]],
  ["a method that is a number", call({ id: 1, method: 1 }), [[REQUEST, 1]]],
  ["a method that is null", call({ id: 1, method: null }), [[REQUEST, 1]]],
  ["a method that is a number, without an id", call({ method: 1, params: "bar" }), [[REQUEST, null]]],
  ["an answer", call({ id: 1, result: 5 }), [[REQUEST, 1]]],
  ["an id that is a list", call({ id: [1], method: "x" }), [[REQUEST, null]]],
  ["an id that is true", call({ id: true, method: "x" }), [[REQUEST, null]]],
  ["an id that is null", call({ id: null, method: "x" }), [[METHOD, null]]],
  ["an id that is empty", call({ id: "", method: "x" }), [[METHOD, ""]]],
  ["an id with a fraction", call({ id: 1.5, method: "x" }), [[METHOD, 1.5]]],
  ["an id below zero", call({ id: -7, method: "x" }), [[METHOD, -7]]],
  ["an id of line ends", call({ id: "\u2028\n\r\u2029", method: "x" }), [[METHOD, "\u2028\n\r\u2029"]]],
  ["an id of half a surrogate pair", '{"jsonrpc":"2.0","id":"\\ud800","method":"x"}', [[METHOD, "\ud800"]]],
  ["two ids", '{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}', [[METHOD, 2]]],
  ["two methods", '{"jsonrpc":"2.0","id":1,"method":"x","method":"sessions.get"}', [[PARAMS, 1]]],
  ["a method of no name", call({ id: 1, method: "" }), [[METHOD, 1]]],
  ["a method of an object", call({ id: 1, method: "constructor" }), [[METHOD, 1]]],
  ["a method called __proto__", call({ id: 1, method: "__proto__" }), [[METHOD, 1]]],
  ["a reserved method", call({ id: 1, method: "rpc.nothing" }), [[METHOD, 1]]],
  ["params that are a list", get(["s1"]), [[PARAMS, 1]]],
  ["params that are a number", get(5), [[PARAMS, 1]]],
  ["params that are null", get(null), [[PARAMS, 1]]],
  ["a parameter that is null", get({ sessionId: null }), [[PARAMS, 1]]],
  ["a parameter of a wrong type", get({ sessionId: 5 }), [[PARAMS, 1]]],
  [
    "a parameter in __proto__",
    '{"jsonrpc":"2.0","id":1,"method":"sessions.get","params":{"__proto__":{"sessionId":"s1"}}}',
    [[PARAMS, 1]],
  ],
  [
    "deep params",
    `{"jsonrpc":"2.0","id":1,"method":"todos.put","params":{"sessionId":"s1","todos":${nested(100_000)}}}`,
    [[PARAMS, 1]],
  ],
  ["a notification that fails", call({ method: "sessions.get", params: { sessionId: "nobody" } }), []],
  ["a notification of no method", call({ method: "nothing" }), []],
  ["a notification with a list", call({ method: "sessions.get", params: [1] }), []],
  ["a batch of notifications", `[${call({ method: "sessions.list" })},${call({ method: "x" })}]`, []],
  [
    "a notification between",
    `[${call({ id: 1, method: "x" })},${call({ method: "x" })},${call({ id: "2", method: "x" })}]`,
    [
      [METHOD, 1],
      [METHOD, "2"],
    ],
    "batch",
  ],
];

describe("malformed messages", () => {
  test("over lines", { timeout: 30_000 }, async () => {
    const client = await (await Plane.withSession()).lineClient();
    for (const [name, message, expected, isBatch] of variants) {
      const answers = await client.answersTo(message);
      expect([name, summary(isBatch === undefined ? answers : flat(answers))]).toEqual([name, expected]);
    }
    expect(client.socket.destroyed).toBe(false);
  });

  test("over HTTP", { timeout: 30_000 }, async () => {
    const { url } = await (await Plane.withSession()).http();
    for (const [name, message, expected, isBatch] of variants) {
      const { status, body } = await post(url, message);
      expect([name, status]).toEqual([name, expected.length === 0 ? 204 : 200]);
      const answers = body === null ? [] : isBatch === undefined ? [body] : (body as Json[]);
      expect([name, summary(answers)]).toEqual([name, expected]);
    }
  });
});

function summary(answers: readonly Json[]): unknown[] {
  return answers.map((answer) => {
    expect(answer.jsonrpc).toBe("2.0");
    return [answer.error?.code, answer.id];
  });
}

function flat(answers: readonly Json[]): Json[] {
  expect(answers).toHaveLength(1);
  return answers[0] as Json[];
}

test("a line may end with CR LF", async () => {
  const client = await (await Plane.withSession()).lineClient();
  expect(await client.answersTo(`${get({ sessionId: "s1" })}\r`)).toMatchObject([
    { id: 1, result: { sessionId: "s1" } },
  ]);
});

test("the last line needs no end", async () => {
  const client = await (await Plane.withSession()).lineClient();
  client.socket.end(get({ sessionId: "s1" }));
  expect(await client.line((answer) => answer.id === 1)).toMatchObject({ result: { sessionId: "s1" } });
  await client.served;
});

describe("a line of more than 1 MiB", () => {
  const line = (length: number): string => {
    const empty = get({ sessionId: "" });
    return get({ sessionId: "x".repeat(length - empty.length) });
  };

  test("is refused, in bytes, and the next is answered", async () => {
    const client: LineClient = await (await Plane.withSession()).lineClient();
    expect(summary(await client.answersTo(line(1_048_576)))).toEqual([[-32003, 1]]);
    expect(summary(await client.answersTo(`${line(1_048_576)}\r`))).toEqual([[-32003, 1]]);
    expect(summary(await client.answersTo(line(1_048_577)))).toEqual([[-32600, null]]);
    expect(summary(await client.answersTo(get({ sessionId: "é".repeat(524_288) })))).toEqual([
      [-32600, null],
    ]);
  });

  test("is not kept while it comes", { timeout: 30_000 }, async () => {
    const client = await (await Plane.withSession()).lineClient();
    const before = process.memoryUsage().rss;
    for (let piece = 0; piece < 64; piece += 1) {
      if (!client.socket.write("x".repeat(1_048_576)))
        await new Promise((done) => client.socket.once("drain", done));
    }
    expect(summary(await client.answersTo(""))).toEqual([[-32600, null]]);
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1_048_576);
  });
});

test("numbers as ids come back as they were written", async () => {
  const plane = await Plane.withSession();
  const client = await plane.lineClient();
  for (const id of ["12345678901234567890", "1.50", "-0", "1e400", "0.1000000000000000055"]) {
    client.write(`{"jsonrpc":"2.0","id":${id},"method":"none"}`);
    client.write(
      `[{"jsonrpc":"2.0","params":{"id":5,"x":[{"id":7}]},"id":${id},"method":"none"},{"jsonrpc":"2.0","id":${id},"\\u0069d":3,"method":"none"}]`,
    );
    await client.answersTo("1");
    const answers = client.all.splice(0).filter((line) => line.includes("METHOD_NOT_FOUND"));
    expect(answers[0]).toContain(`"id":${id},`);
    expect(answers[1]).toContain(`"id":${id},`);
    expect(answers[1]).toContain(`"id":3,`);
  }
});
