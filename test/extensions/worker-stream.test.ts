/** A model of an extension: its parts cross one by one, and never far ahead of their reader. */
import { describe, expect, it } from "vitest";
import type { Collection } from "../../src/extensions/port.ts";
import { testWorld } from "./worker-support.ts";

function extension(stream: string): string {
  return `let made = 0, stopped = "no"; const sent = [];
    export default { name: "a", version: "1.0.0",
      hooks: { onTurnStart: () => ({ made, stopped, sent }) },
      providers: [{ type: "model", name: "acme", config: { key: 1 }, provider: { providerId: "x", getEnvApiKey: () => "k", ${stream} } }] }`;
}

function modelOf(members: Collection): Extract<Collection["providers"][number], { type: "model" }> {
  const [provider] = members.providers;
  if (provider?.type !== "model") throw new Error("no model");
  return provider;
}

async function stateOf(members: Collection): Promise<{ made: number; stopped: string; sent: unknown[] }> {
  const options = { handlerMs: 5000, eventMs: null, untilBlocked: false };
  const [outcome] = await members.runHooks("onTurnStart", [], options);
  return (outcome as unknown as { answer: { made: number; stopped: string; sent: unknown[] } }).answer;
}

const context = { systemPrompt: "", messages: [], tools: [] } as never;
const options = (
  signal = new AbortController().signal,
): { signal: AbortSignal; config: Record<string, unknown> } => ({
  signal,
  config: { key: 1 },
});

describe("a model's stream", () => {
  it("arrives in order, from a generator and from a ReadableStream, with its dates and bytes", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      extension(`async stream(model, context, { config }) {
        sent.push(context.when instanceof Date);
        const parts = [{ type: model, n: config.key }, { at: new Date(5), bytes: new Uint8Array([7]), url: new URL("http://a/") }, { error: new RangeError("r") }];
        return model === "gen" ? (async function* () { yield* parts })() : new ReadableStream({ start(c) { parts.forEach((p) => c.enqueue(p)); c.close() } });
      }`),
    );
    const { provider, name, config } = modelOf(members);
    expect([name, config, provider.providerId, await provider.getEnvApiKey?.()]).toEqual([
      "acme",
      { key: 1 },
      "x",
      "k",
    ]);
    for (const model of ["gen", "readable"]) {
      const parts: unknown[] = [];
      const given = { ...(context as object), when: new Date(1) } as never;
      for await (const part of await provider.stream(model, given, options())) parts.push(part);
      expect(parts).toEqual([
        { type: model, n: 1 },
        { at: new Date(5), bytes: new Uint8Array([7]), url: new URL("http://a/") },
        { error: expect.objectContaining({ name: "RangeError", message: "r" }) as unknown },
      ]);
    }
    expect((await stateOf(members)).sent).toEqual([true, true]);
  });

  const counting = `async *stream(m, c, { signal }) {
    signal.addEventListener("abort", () => sent.push("aborted"));
    try { for (;;) { made += 1; yield { n: made } } } finally { stopped = "yes" } }`;

  it("stops after 64 parts when nobody reads, and goes on with its reader", async () => {
    await using t = await testWorld();
    const { members } = await t.open(extension(counting));
    const stream = await modelOf(members).provider.stream("m", context, options());
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await stateOf(members);
    expect((await stateOf(members)).made).toBe(65 - 1);
    for (let n = 2; n <= 300; n += 1) expect((await iterator.next()).value).toEqual({ n });
    const { made } = await stateOf(members);
    expect(made).toBeLessThanOrEqual(300 + 64);
    await iterator.return?.();
    await t.until(() => true);
    expect(await stateOf(members)).toMatchObject({ stopped: "yes", sent: ["aborted"] });
  });

  it("ends with the caller's abort", async () => {
    await using t = await testWorld();
    const { members } = await t.open(extension(counting));
    const user = new AbortController();
    const reason = new Error("enough");
    const read = async (): Promise<void> => {
      for await (const part of await modelOf(members).provider.stream("m", context, options(user.signal)))
        if ((part as { n: number }).n === 5) user.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    expect(await stateOf(members)).toMatchObject({ stopped: "yes", sent: ["aborted"] });
  });

  it.each([
    ["throws", "throw new RangeError('mid')", "mid"],
    ["exits", "process.exit(3)", "the extension's worker ended: exit code 3"],
    [
      "yields what can't cross",
      "yield { f() {} }",
      "a part of the stream can't be passed on: f: a function is not a JSON value",
    ],
  ])("that %s in the middle delivers what came before", async (_name, code, message) => {
    await using t = await testWorld();
    const { members } = await t.open(extension(`async *stream() { yield 1; yield 2; await 0; ${code} }`));
    const parts: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const part of await modelOf(members).provider.stream("m", context, options()))
        parts.push(part);
    };
    await expect(read()).rejects.toThrow(message);
    expect(parts).toEqual([1, 2]);
  });
});

it("memory and search providers are asked with their options and a signal", async () => {
  await using t = await testWorld();
  const { members } = await t.open(`export default { name: "a", version: "1.0.0", providers: [
    { type: "memory", name: "m", provider: { put: () => {}, search: (q, o) => [{ q, limit: o.limit, signal: o.signal instanceof AbortSignal }] } },
    { type: "search", name: "s", provider: { extract(url, o) { return new Promise((_, r) => o.signal.addEventListener("abort", () => r(o.signal.reason))) } } } ] }`);
  const [memory, search] = members.providers;
  if (memory?.type !== "memory" || search?.type !== "search") throw new Error("wrong types");
  const given = { scope: "all" as const, limit: 5, config: {}, signal: new AbortController().signal };
  expect(await memory.provider.search("q", given)).toEqual([{ q: "q", limit: 5, signal: true }]);
  expect(await memory.provider.put({} as never, given)).toBeNull();
  expect(search.provider.search).toBeUndefined();
  const user = new AbortController();
  const pending = search.provider.extract?.("u", { limit: 1, config: {}, signal: user.signal });
  user.abort(new Error("stop"));
  await expect(pending).rejects.toThrow("stop");
});
