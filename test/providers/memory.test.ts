import { describe, expect, it } from "vitest";
import type { Json } from "../../src/events/index.ts";
import {
  createMemory,
  type MemoryDocument,
  type MemoryOptions,
  type MemoryProvider,
  type MemorySource,
  normaliseMemoryConfig,
} from "../../src/providers/index.ts";
import type { Logger } from "../../src/ports.ts";
import { ManualClock } from "../support/manual-clock.ts";

const document = (id: string, createdAt: number, more: Partial<MemoryDocument> = {}): MemoryDocument => ({
  id,
  scope: "workspace",
  content: `about ${id}`,
  createdAt,
  metadata: {},
  ...more,
});

/** Answers these, and remembers what it was asked. */
function provider(answer: unknown = []) {
  const puts: { document: MemoryDocument; options: MemoryOptions }[] = [];
  const searches: { query: string; options: MemoryOptions }[] = [];
  const made: MemoryProvider = {
    put: (given, options) => void puts.push({ document: given, options }),
    search: (query, options) => {
      searches.push({ query, options });
      return (typeof answer === "function" ? answer() : answer) as MemoryDocument[];
    },
  };
  return { provider: made, puts, searches };
}

function memoryOf(
  providers: Record<string, { provider: MemoryProvider; config?: unknown }>,
  mask = (v: Json) => v,
) {
  const clock = new ManualClock();
  const lines: [object, string][] = [];
  const line = (fields: object, message: string): void => void lines.push([fields, message]);
  const logger: Logger = { debug: line, info: line, warn: line, error: line };
  const sources = Object.entries(providers).map(([id, each]): MemorySource => ({
    id,
    source: id === "local" ? "builtin" : `extension:${id}`,
    provider: each.provider,
    config: each.config,
  }));
  return { memory: createMemory({ providers: sources, clock, logger, mask }), clock, lines };
}

const never = (): Promise<never> => new Promise(() => undefined);
const fail = (): never => {
  throw new Error("content of a memory");
};

describe("a search", () => {
  it("asks every enabled provider of the scope, and no other", async () => {
    const [local, off, session] = [provider(), provider(), provider()];
    const config = { scopes: ["session"], url: "x" };
    const { memory } = memoryOf({
      local,
      off: { ...off, config: { enabled: false } },
      session: { ...session, config },
    });
    await memory.search("q", { scope: "session", limit: 3 });
    await memory.search("q", { scope: "agent" });
    expect([local.searches.length, off.searches.length, session.searches.length]).toEqual([2, 0, 1]);
    expect(session.searches[0]).toMatchObject({
      query: "q",
      options: { scope: "session", limit: 3, config },
    });
    expect(local.searches[1]?.options).toMatchObject({ scope: "agent", limit: 5, config: {} });
  });

  it("keeps the first of an id in the order of the providers, and gives the newest first", async () => {
    const { memory } = memoryOf({
      local: provider([document("a", 1), document("b", 3)]),
      team: provider([document("a", 9), document("c", 2), document("d", 4)]),
    });
    const found = await memory.search("q");
    expect(found.map(({ id, createdAt }) => [id, createdAt])).toEqual([
      ["d", 4],
      ["b", 3],
      ["c", 2],
      ["a", 1],
    ]);
  });

  it("gives 5 unless told otherwise", async () => {
    const many = Array.from({ length: 9 }, (_, index) => document(String(index), index));
    const { memory } = memoryOf({ local: provider(many) });
    const count = async (limit?: number) =>
      (await memory.search("q", limit === undefined ? {} : { limit })).length;
    expect([await count(), await count(2), await count(0), await count(1.5), await count(100)]).toEqual([
      5, 2, 5, 5, 9,
    ]);
  });

  it.each([
    ["throws", fail, { failure: "Error" }],
    ["rejects", () => Promise.reject(new RangeError("content")), { failure: "RangeError" }],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    ["rejects with a text", () => Promise.reject("content"), { failure: "string" }],
    ["answers no list", { id: "x" }, { dropped: 1 }],
    ["answers nothing", () => undefined, { dropped: 1 }],
    ["answers what is no document", [null, 1, { id: "x" }, document("", 1)], { dropped: 4 }],
  ])("leaves out a provider that %s, and says so without its content", async (_case, answer, expected) => {
    const { memory, lines } = memoryOf({ bad: provider(answer), local: provider([document("a", 1)]) });
    expect((await memory.search("q")).map(({ id }) => id)).toEqual(["a"]);
    expect(lines.map(([fields]) => fields)).toEqual([
      expect.objectContaining({ provider: "bad", ...expected }),
    ]);
    expect(JSON.stringify(lines)).not.toContain("content");
  });

  it("gives each provider its own time from the same start", async () => {
    const signals: AbortSignal[] = [];
    const waiting: MemoryProvider = {
      put: () => undefined,
      search: (_query, { signal }) => {
        signals.push(signal);
        return never();
      },
    };
    const { memory, clock, lines } = memoryOf({
      slow: { provider: waiting, config: { timeoutMs: 500 } },
      slower: { provider: waiting },
      local: provider([document("a", 1)]),
    });
    let found: MemoryDocument[] | null = null;
    const searching = memory.search("q").then((documents) => void (found = documents));
    await settle();
    clock.advance(499);
    await settle();
    expect([lines.length, signals.map(({ aborted }) => aborted)]).toEqual([0, [false, false]]);
    clock.advance(1);
    await settle();
    expect(lines).toEqual([
      [{ provider: "slow", operation: "search", failure: "timeout" }, expect.any(String)],
    ]);
    expect(found).toBeNull();
    clock.advance(1_500);
    await searching;
    expect(found).toEqual([document("a", 1)]);
    expect([lines.length, signals.map(({ aborted }) => aborted), clock.pending]).toEqual([
      2,
      [true, true],
      0,
    ]);
  });

  it("that is aborted gives what has arrived", async () => {
    const { memory } = memoryOf({ slow: provider(never), local: provider([document("a", 1)]) });
    const abort = new AbortController();
    const searching = memory.search("q", { signal: abort.signal });
    await settle();
    abort.abort();
    expect((await searching).length).toBe(1);
    expect(await memory.search("q", { signal: AbortSignal.abort() })).toEqual([]);
  });
});

describe("a put", () => {
  it("goes to every enabled provider of the document's scope, after it has returned", async () => {
    const [local, session] = [provider(), provider()];
    const { memory } = memoryOf({ local, session: { ...session, config: { scopes: ["session"] } } });
    memory.put(document("a", 1));
    expect(local.puts).toEqual([]);
    await memory.settled();
    expect(local.puts.map((each) => each.document)).toEqual([document("a", 1)]);
    expect(local.puts[0]?.options).toMatchObject({ scope: "workspace" });
    expect(session.puts).toEqual([]);
  });

  it("hides secrets before anybody sees them", async () => {
    const local = provider();
    const hide = (value: Json): Json =>
      JSON.parse(JSON.stringify(value).replaceAll("hunter22", "{{secret:PW}}")) as Json;
    const { memory } = memoryOf({ local }, hide);
    memory.put(document("a", 1, { content: "pw hunter22", metadata: { deep: ["hunter22"] } }));
    await memory.settled();
    expect(local.puts[0]?.document).toMatchObject({
      content: "pw {{secret:PW}}",
      metadata: { deep: ["{{secret:PW}}"] },
    });
  });

  it.each([
    ["blank content", document("a", 1, { content: " \n" })],
    ["no scope", { ...document("a", 1), scope: "team" }],
    ["a time that is no number", { ...document("a", 1), createdAt: "now" }],
    ["metadata that contain themselves", circular()],
    ["nothing at all", null],
  ])("drops a document with %s", async (_case, given) => {
    const local = provider();
    const { memory, lines } = memoryOf({ local });
    memory.put(given as MemoryDocument);
    await memory.settled();
    expect([local.puts, lines.length]).toEqual([[], 1]);
  });

  it("fails for one provider without a word to the caller or the others", async () => {
    const local = provider();
    const { memory, lines, clock } = memoryOf({
      throwing: { provider: { put: fail, search: () => [] } },
      hanging: { provider: { put: never, search: () => [] }, config: { timeout_ms: 10 } },
      local,
    });
    memory.put(document("a", 1));
    const settled = memory.settled();
    await settle();
    clock.advance(10);
    await settled;
    expect(local.puts.length).toBe(1);
    expect(lines.map(([fields]) => fields)).toEqual([
      { provider: "throwing", operation: "put", failure: "Error" },
      { provider: "hanging", operation: "put", failure: "timeout" },
    ]);
  });
});

describe("the settings of a provider", () => {
  it("have defaults for all that can't be used", () => {
    const all = ["agent", "all", "session", "workspace"];
    const defaults = { enabled: true, scopes: all, timeoutMs: 2_000, label: null };
    for (const config of [
      undefined,
      null,
      "x",
      [],
      {},
      { enabled: 0, scopes: "all", timeoutMs: 0, label: " " },
      { enabled: null, scopes: ["team"], timeoutMs: 1.5, label: 3 },
      { scopes: [], timeoutMs: "100" },
    ])
      expect(normaliseMemoryConfig(config)).toEqual(defaults);
  });

  it("are read as they stand, in both spellings", () => {
    expect(
      normaliseMemoryConfig({
        enabled: false,
        scopes: ["session", "x", "agent"],
        timeout_ms: 5,
        label: "Team",
      }),
    ).toEqual({ enabled: false, scopes: ["agent", "session"], timeoutMs: 5, label: "Team" });
    expect(normaliseMemoryConfig({ timeoutMs: 7, timeout_ms: 5 }).timeoutMs).toBe(7);
    expect(normaliseMemoryConfig({ timeoutMs: 1e12 }).timeoutMs).toBe(2 ** 31 - 1);
  });

  it("show in the diagnostics without label, values or content", () => {
    const { memory } = memoryOf({
      local: provider(),
      team: {
        ...provider(),
        config: { enabled: false, scopes: ["workspace", "agent"], label: "private", url: "https://x" },
      },
    });
    expect(memory.diagnostics()).toEqual({
      providers: [
        {
          id: "local",
          enabled: true,
          source: "builtin",
          scopes: ["agent", "all", "session", "workspace"],
          timeoutMs: 2_000,
          moduleLoaded: true,
        },
        {
          id: "team",
          enabled: false,
          source: "extension:team",
          scopes: ["agent", "workspace"],
          timeoutMs: 2_000,
          moduleLoaded: true,
        },
      ],
      providerCount: 2,
      enabledProviderCount: 1,
    });
  });
});

function circular(): object {
  const metadata: Record<string, unknown> = {};
  metadata["self"] = metadata;
  return { ...document("a", 1), metadata };
}

/** Until everything that waits for nothing outside has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
