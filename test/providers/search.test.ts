import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/ports.ts";
import {
  createWebSearch,
  inSearchOrder,
  type SearchOptions,
  type SearchProvider,
  type SearchSource,
} from "../../src/providers/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

const hit = (title: string) => ({ title, url: `https://${title}.example`, snippet: "" });
const page = { url: "https://a.example", title: "A", content: "text" };

function searchOf(providers: Record<string, SearchProvider & { priority?: unknown }>) {
  const clock = new ManualClock();
  const lines: object[] = [];
  const sources = Object.entries(providers).map(([name, { priority, ...provider }]): SearchSource => ({
    name,
    provider,
    config: { priority },
  }));
  const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  return { web: createWebSearch({ providers: sources, clock, logger }), clock, lines };
}
const fail = (): never => {
  throw new TypeError("what was searched for");
};

describe("the order of search providers", () => {
  it("is by priority, then by name", () => {
    const sources = [
      { name: "b" },
      { name: "Z", config: { priority: "9" } },
      { name: "low", config: { priority: -1 } },
      { name: "team", config: { priority: 50 } },
      { name: "a", config: { priority: 1.5 } },
    ];
    expect(inSearchOrder(sources).map(({ name }) => name)).toEqual(["team", "Z", "a", "b", "low"]);
  });

  it("does not depend on the order in which they came", () => {
    const sources = fc.uniqueArray(
      fc.record({
        name: fc.string(),
        config: fc.record({ priority: fc.oneof(fc.integer(), fc.anything()) }),
      }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(
        sources.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([once, otherwise]) => {
          const ordered = inSearchOrder(once);
          expect(inSearchOrder(otherwise)).toEqual(ordered);
          const priorities = ordered.map(({ config: { priority } }) =>
            Number.isSafeInteger(priority) ? Number(priority) : 0,
          );
          expect(priorities).toEqual(priorities.toSorted((a, b) => b - a));
        },
      ),
    );
  });
});

describe("a search", () => {
  it("is answered by the first provider that finds something", async () => {
    const { web, lines } = searchOf({
      empty: { priority: 9, search: () => [] },
      reader: { priority: 8, extract: () => page },
      b: { search: () => [hit("b"), null, { title: 1 }] as never },
      c: { search: fail },
    });
    expect(await web.search("q")).toEqual({ status: "answered", provider: "b", value: [hit("b")] });
    expect(lines).toEqual([]);
  });

  it("goes on to the next after one that fails, and says so without the query", async () => {
    const { web, lines } = searchOf({
      a: { search: fail },
      b: { search: () => "text" as never },
      c: { search: () => Promise.resolve([hit("c")]) },
    });
    expect(await web.search("q")).toMatchObject({ provider: "c" });
    expect(lines).toEqual([
      { provider: "a", operation: "search", failure: "TypeError" },
      { provider: "b", operation: "search", failure: "invalid_answer" },
    ]);
  });

  it("with nothing found anywhere is an empty answer, with only failures a failure", async () => {
    const nothing = searchOf({ a: { search: fail }, b: { search: () => [] } });
    expect(await nothing.web.search("q")).toEqual({ status: "answered", provider: "b", value: [] });
    const broken = searchOf({ a: { search: fail } });
    expect(await broken.web.search("q")).toEqual({
      status: "failed",
      failures: [{ provider: "a", failure: "TypeError" }],
    });
    expect(await searchOf({}).web.search("q")).toEqual({ status: "failed", failures: [] });
  });

  it("gives up a provider at its deadline, and is over when it is aborted", async () => {
    const signals: AbortSignal[] = [];
    const hang = (_query: string, { signal }: SearchOptions): Promise<never> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { web, clock } = searchOf({ a: { search: hang }, b: { search: hang }, c: { search: hang } });
    const abort = new AbortController();
    const searching = web.search("q", { signal: abort.signal });
    await expect.poll(() => signals.length).toBe(1);
    clock.advance(15_000);
    await expect.poll(() => signals.length).toBe(2);
    abort.abort();
    expect(await searching).toEqual({
      status: "failed",
      failures: [
        { provider: "a", failure: "timeout" },
        { provider: "b", failure: "aborted" },
      ],
    });
    expect([signals.map(({ aborted }) => aborted), clock.pending]).toEqual([[true, true], 0]);
  });

  it("hands on its limit and settings, and keeps to the limit", async () => {
    const told: SearchOptions[] = [];
    const search = (_query: string, options: SearchOptions) => {
      told.push(options);
      return Array.from({ length: 20 }, (_, index) => hit(String(index)));
    };
    const { web } = searchOf({ a: { priority: 3, search } });
    for (const limit of [2, 0, 1.5]) await web.search("q", { limit });
    expect(told.map(({ limit, config }) => [limit, config])).toEqual(
      [2, 10, 10].map((limit) => [limit, { priority: 3 }]),
    );
    expect(await web.search("q", { limit: 2 })).toMatchObject({ value: [hit("0"), hit("1")] });
  });
});

describe("reading a page", () => {
  it("is done by the first provider that can", async () => {
    const { web } = searchOf({
      finder: { priority: 9, search: () => [] },
      broken: { priority: 8, extract: () => ({ url: 1 }) as never },
      reader: { extract: () => page },
    });
    expect(await web.extract("https://a.example")).toEqual({
      status: "answered",
      provider: "reader",
      value: page,
    });
  });
});
