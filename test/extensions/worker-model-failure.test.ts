/** An error of an extension's model counts the same from a worker as from this process. */
import { expect, test } from "vitest";
import { providedModel, type ModelProvider } from "../../src/providers/models/model-provider.ts";
import type { ModelAnswer } from "../../src/providers/models/port.ts";
import { systemClock } from "../../src/supervision/index.ts";
import { testWorld } from "./worker-support.ts";

const context = { systemPrompt: "", messages: [], tools: [] } as never;

function ask(provider: ModelProvider): Promise<ModelAnswer> {
  const { signal } = new AbortController();
  const options = { signal, onDelta: () => undefined, responses: 0, failures: 0, clock: systemClock };
  return providedModel("acme/m", provider).request(context, options);
}

async function askWorker(stream: string): Promise<ModelAnswer> {
  // Awaited here: the world ends with this function.
  await using t = await testWorld();
  const { members } = await t.open(
    `export default { name: "a", version: "1.0.0", providers: [{ type: "model", name: "acme", provider: { ${stream} } }] }`,
  );
  const [found] = members.providers;
  if (found?.type !== "model") throw new Error("no model");
  return await ask(found.provider);
}

async function askHere(stream: string): Promise<ModelAnswer> {
  const url = `data:text/javascript,${encodeURIComponent(`export default { ${stream} }`)}`;
  const { default: provider } = (await import(/* @vite-ignore */ url)) as { readonly default: ModelProvider };
  return ask(provider);
}

const throwing = (error: string): string => `stream() { throw ${error} }`;
const saying = (error: string): string => `async *stream() { yield { type: "error", error: ${error} } }`;
const refused = 'Object.assign(new Error("x"), { statusCode: 429, responseHeaders: { "retry-after": "7" } })';

test.for([
  ["a refusal", throwing('Object.assign(new Error("x"), { statusCode: 400 })'), "bad_request", 400, null],
  [
    "its promise's",
    'async stream() { throw Object.assign(new Error("x"), { statusCode: 403 }) }',
    "auth",
    403,
    null,
  ],
  ["an error part's", saying('Object.assign(new Error("x"), { statusCode: 401 })'), "auth", 401, null],
  ["a bare object's", saying("{ statusCode: 401 }"), "auth", 401, null],
  ["one with a header", throwing(refused), "rate_limited", 429, 7_000],
  ["one with a header, in a part", saying(refused), "rate_limited", 429, 7_000],
  [
    "other clients' `status`",
    throwing('Object.assign(new Error("x"), { status: 404 })'),
    "not_found",
    404,
    null,
  ],
  ["a number as `code`", throwing('Object.assign(new Error("x"), { code: 503 })'), "overloaded", 503, null],
  [
    "a word",
    throwing('Object.assign(new Error("x"), { type: "overloaded_error" })'),
    "overloaded",
    null,
    null,
  ],
  [
    "a lost connection",
    throwing('Object.assign(new Error("x"), { isRetryable: true })'),
    "connection",
    null,
    null,
  ],
  [
    "a cause's code",
    throwing(
      'new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) })',
    ),
    "connection",
    null,
    null,
  ],
  [
    "a library's name",
    throwing('Object.assign(new (class Wrong extends Error {})("x"), { name: "AI_InvalidPromptError" })'),
    "bad_request",
    null,
    null,
  ],
  ["a plain error", throwing('new Error("bug")'), "unknown", null, null],
  [
    "a plain error of a stream",
    'async *stream() { throw new Error("bug") }',
    "incomplete_stream",
    null,
    null,
  ],
  ["a value", throwing('"no"'), "unknown", null, null],
  ["what is no stream", "stream() { return 7 }", "malformed_stream", null, null],
  [
    "members that can't be read",
    throwing(
      '(() => { const e = new Error("x"); for (const k of ["statusCode", "cause"]) Object.defineProperty(e, k, { get() { throw 1 } }); return Object.assign(e, { code: "ETIMEDOUT" }) })()',
    ),
    "timeout",
    null,
    null,
  ],
] as const)("%s", async ([name, stream, failureClass, status, retryAfterMs]) => {
  const expected = { type: "failed", failure: { class: failureClass, status, retryAfterMs } };
  const answer = await askWorker(stream);
  expect(answer).toMatchObject(expected);
  if (name !== "members that can't be read") expect(answer).toEqual(await askHere(stream));
});

test("marks of other types, and too long ones, are left out or cut", async () => {
  await using t = await testWorld();
  const { members } =
    await t.open(`export default { name: "a", version: "1.0.0", providers: [{ type: "model", name: "acme", provider: {
    stream() { throw Object.assign(new Error("x"), { statusCode: NaN, isRetryable: "yes", type: {}, code: "c".repeat(999),
      responseHeaders: { "retry-after": 7, "retry-after-ms": "9", authorization: "k" } }) } } }] }`);
  const [found] = members.providers;
  if (found?.type !== "model") throw new Error("no model");
  const { signal } = new AbortController();
  const opened = async (): Promise<unknown> => found.provider.stream("m", context, { signal, config: {} });
  const error: unknown = await opened().catch((thrown: unknown) => thrown);
  expect(Object.entries(error as object)).toEqual([
    ["code", "c".repeat(256)],
    ["responseHeaders", Object.assign(Object.create(null), { "retry-after-ms": "9" })],
  ]);
});

test("what a model threw is told in a log line by its class, without its text", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    'export default { name: "a", version: "1.0.0", providers: [{ type: "model", name: "acme", provider: { stream() { throw new RangeError("hunter2") } } }] }',
  );
  const [found] = members.providers;
  if (found?.type !== "model") throw new Error("no model");
  await ask(found.provider);
  expect(t.seen.logged).toEqual([
    {
      level: "info",
      fields: { module: "sample", provider: "acme", error: "RangeError" },
      message: "a model provider threw",
    },
  ]);
});
