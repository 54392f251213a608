import path from "node:path";
import { describe, expect, test } from "vitest";
import { LemonError } from "../../src/errors.ts";
import { classOf, errorClasses } from "../../src/control-plane/error-classes.ts";
import { Dispatcher } from "../../src/control-plane/dispatcher.ts";
import type { Method } from "../../src/control-plane/method.ts";
import { methodTable } from "../../src/control-plane/methods/index.ts";
import { errorCodesOf } from "../support/error-codes.ts";
import { Plane, type Json } from "./support/plane.ts";

test("every reason that the source can give is in a class", { timeout: 60_000 }, () => {
  const codes = [...errorCodesOf(path.resolve(import.meta.dirname, "../..")).keys()];
  const reasons = codes.map((code) => code.replace(/^LEMON_/, "").toLowerCase());
  expect(reasons.length).toBeGreaterThan(60);
  expect(reasons.filter((reason) => classOf(reason) === null)).toEqual([]);
});

test("a reason is in one class, and the numbers are those of the reference", () => {
  const all = errorClasses.flatMap(({ reasons }) => reasons);
  expect(new Set(all).size).toBe(all.length);
  expect(Object.fromEntries(errorClasses.map(({ code, number }) => [code, number]))).toEqual({
    PARSE_ERROR: -32700,
    INVALID_REQUEST: -32600,
    METHOD_NOT_FOUND: -32601,
    INVALID_PARAMS: -32602,
    INTERNAL_ERROR: -32603,
    UNAUTHORIZED: -32001,
    FORBIDDEN: -32002,
    NOT_FOUND: -32003,
    CONFLICT: -32004,
    TIMEOUT: -32005,
    CANCELLED: -32006,
    RATE_LIMITED: -32007,
    UNAVAILABLE: -32008,
    NOT_IMPLEMENTED: -32009,
    UNSUPPORTED_FILE: -32010,
    INVALID_DOCUMENT: -32011,
  });
  expect(classOf("invalid_anything")?.code).toBe("INVALID_PARAMS");
  expect(classOf("empty_prompt")?.code).toBe("INVALID_PARAMS");
  expect(classOf("missing_checkpoint_id")?.code).toBe("INVALID_PARAMS");
  expect(classOf("invalid_requirements")?.code).toBe("INVALID_DOCUMENT");
  expect(classOf("something_new")).toBeNull();
});

/** The answer when a handler throws this. */
async function answerTo(
  thrown: unknown,
): Promise<{ readonly answer: Json; readonly text: string; readonly plane: Plane }> {
  const plane = await Plane.withSession();
  const real = methodTable.get("sessions.list") as Method;
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- anything may be thrown
  const failing: Method = { ...real, run: () => Promise.reject(thrown) };
  const { runtime, logger, ids } = plane.parts;
  const dispatcher = new Dispatcher({ methods: new Map([[real.name, failing]]), runtime, logger, ids });
  const caller = { scopes: new Set(["admin"] as const), subscriber: null, answered: Promise.resolve() };
  const text =
    (await dispatcher.answer(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"sessions.list"}'), caller)) ?? "";
  return { answer: JSON.parse(text), text, plane };
}

const SECRET = "sk-abcdefghijklmnop at /home/someone/private";

describe("what a handler throws", () => {
  test.each([
    new Error(SECRET),
    SECRET,
    null,
    { message: SECRET },
    new LemonError("something_new", SECRET),
    new LemonError("query_failed", SECRET),
  ])("never gets out: %s", async (thrown) => {
    const { answer, text, plane } = await answerTo(thrown);
    expect(answer.error).toMatchObject({ code: -32603, data: { code: "INTERNAL_ERROR" } });
    expect(answer.error.data.reason).toBe(
      thrown instanceof LemonError && thrown.reason === "query_failed" ? "query_failed" : "internal",
    );
    expect(text).not.toContain("someone");
    const line = plane.lines.find(({ fields }) => fields["errorId"] === answer.error.data.errorId);
    expect(line).toMatchObject({ level: "error", fields: { method: "sessions.list" } });
    expect(JSON.stringify(plane.lines)).not.toContain("someone");
  });

  test("is told by its class and reason, and by the field that it is about", async () => {
    const { answer, text, plane } = await answerTo(
      new LemonError("invalid_status", SECRET, { field: "status", expected: "a status", got: "a number" }),
    );
    expect(answer.error).toEqual({
      code: -32602,
      message: "A parameter is missing or wrong.",
      data: {
        code: "INVALID_PARAMS",
        reason: "invalid_status",
        field: "status",
        fields: [{ field: "status", expected: "a status", got: "a number" }],
      },
    });
    expect(text).not.toContain("someone");
    expect(plane.lines).toEqual([]);
  });

  test("and secrets in its details are taken out", async () => {
    const { text } = await answerTo(
      new LemonError("conflict", "", { field: `password=${"h".repeat(10)}unter` }),
    );
    expect(text).toContain("password=[redacted]");
  });
});

test("a result that can't be written is a fault of ours", async () => {
  const circular: Json = {};
  circular.self = circular;
  const plane = await Plane.withSession();
  const real = methodTable.get("sessions.list") as Method;
  const { runtime, logger, ids } = plane.parts;
  const methods = new Map([[real.name, { ...real, run: () => Promise.resolve(circular) }]]);
  const dispatcher = new Dispatcher({ methods, runtime, logger, ids });
  const caller = { scopes: new Set(["admin"] as const), subscriber: null, answered: Promise.resolve() };
  const text = await dispatcher.answer(
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"sessions.list"}'),
    caller,
  );
  expect(JSON.parse(text ?? "").error.data).toMatchObject({ code: "INTERNAL_ERROR" });
});

test("wrong parameters are all named, and nothing of their values", async () => {
  const plane = await Plane.withSession();
  const client = await plane.lineClient();
  const { error } = await client.call("sessions.facts", {
    sessionId: 5,
    from: 0,
    to: "x",
    limit: 5_000,
    types: [1, SECRET],
  });
  expect(error.data.fields).toEqual([
    { field: "sessionId", expected: "a string", got: "a number" },
    { field: "from", expected: "at least 1", got: "a number" },
    { field: "to", expected: "a number", got: "a string" },
    { field: "/types/0", expected: "a string", got: "a number" },
    { field: "limit", expected: "at most 1000", got: "a number" },
  ]);
  const resolve = (await client.call("approvals.resolve", { decision: SECRET })).error.data.fields;
  expect(resolve).toEqual([
    { field: "sessionId", expected: "a string", got: "nothing" },
    { field: "id", expected: "a string", got: "nothing" },
    { field: "decision", expected: '"allow" or "deny"', got: "a string" },
  ]);
});

test("what is not known is ignored, and null is absent", async () => {
  const client = await (await Plane.withSession()).lineClient();
  const { result } = await client.call("sessions.list", { limit: null, more: { a: 1 } });
  expect(result.total).toBe(1);
});
