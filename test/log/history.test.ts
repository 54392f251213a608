/** A fork's history: facts of its ancestors by reference, and its own. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  historyOf,
  historyParts,
  LogCorruptError,
  openEventLog,
  originOf,
  storedHistoryOf,
  type EventLog,
} from "../../src/log/index.ts";
import type { Fact, NewFact } from "../../src/events/index.ts";
import { settings } from "../support/streams.ts";

const noted = (data: unknown): NewFact => ({
  type: "test.noted",
  data,
  kind: "input",
  actor: "caller",
  causation: null,
  correlation: null,
});

const forked = (sessionId: string, from: string, at: number): NewFact => ({
  ...noted({}),
  type: "session.forked",
  data: {
    sessionId,
    from,
    at,
    cwd: "/w",
    runId: null,
    systemPrompt: null,
    lineage: {
      origin: "session",
      sessionKey: `session:${sessionId}`,
      parentSessionId: null,
      parentSessionKey: null,
      agentId: null,
      depth: 0,
      ownSystemPrompt: false,
    },
    ...settings,
  },
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const names = (facts: readonly Fact[]): unknown[] =>
  facts.map(({ stream, version, data, type }) => [
    version,
    type === "test.noted" ? data : `${stream.slice("session-".length)} forked`,
  ]);

/** `a` 1 to 3; `b` forked from `a` at 2, with 2 own facts; `c` from `b` at 2, with 1. */
async function family(log: EventLog): Promise<void> {
  const append = (stream: string, facts: NewFact[]): Promise<Fact[]> =>
    log.append(`session-${stream}`, "any", facts);
  await append("a", [noted("a1"), { ...noted("a2"), causation: 1 }]);
  await append("b", [forked("b", "a", 2), noted("b2")]);
  await append("a", [noted("a3")]);
  await append("b", [noted("b3")]);
  await append("c", [forked("c", "b", 2), noted("c2")]);
}

test("an ancestor's facts come first, with versions of zero and less", async () => {
  const log = await openEventLog(":memory:");
  await family(log);
  expect(names(await collect(historyOf(log, "session-c")))).toEqual([
    [-3, "a1"],
    [-2, "a2"],
    [-1, "b forked"],
    [0, "b2"],
    [1, "c forked"],
    [2, "c2"],
  ]);
  expect(names(await collect(historyOf(log, "session-b", { to: 1 })))).toEqual([
    [-1, "a1"],
    [0, "a2"],
    [1, "b forked"],
  ]);
  const [, second] = await collect(historyOf(log, "session-c"));
  expect(second).toMatchObject({ stream: "session-a", position: 2, causation: -3 });
  await log.close();
});

test("a stream that is no fork has its own facts, as they are", async () => {
  const log = await openEventLog(":memory:");
  await family(log);
  expect(await collect(historyOf(log, "session-a"))).toEqual(await collect(log.read("session-a")));
  expect(await collect(historyOf(log, "session-nobody"))).toEqual([]);
  await log.close();
});

test("a history with a hole is refused, and so is a circle of forks", async () => {
  const log = await openEventLog(":memory:");
  await log.append("session-orphan", "none", [forked("orphan", "gone", 3)]);
  await expect(collect(historyOf(log, "session-orphan"))).rejects.toThrow(LogCorruptError);
  await log.append("session-x", "none", [forked("x", "y", 1)]);
  await log.append("session-y", "none", [forked("y", "x", 1)]);
  await expect(historyParts(log, "session-x")).rejects.toThrow(LogCorruptError);
  await log.close();
});

test("any part of a history, in either direction and stored or parsed, is cut out of the whole", async () => {
  const log = await openEventLog(":memory:");
  await family(log);
  const stream = fc.constantFrom("a", "b", "c").map((name) => `session-${name}`);
  await fc.assert(
    fc.asyncProperty(stream, fc.integer({ min: -6, max: 5 }), fc.boolean(), async (name, to, backwards) => {
      const whole = await collect(historyOf(log, name));
      const wanted = whole.filter(({ version }) => version <= to);
      if (backwards) wanted.reverse();
      expect(await collect(historyOf(log, name, { to, backwards }))).toEqual(wanted);
      const stored = (await collect(storedHistoryOf(log, name, { to, backwards }))).flat();
      expect(stored.map(({ text, ...rest }) => ({ ...rest, data: JSON.parse(text) as unknown }))).toEqual(
        wanted,
      );
      const parts = await historyParts(log, name);
      for (const { version, position } of wanted) {
        const origin = originOf(parts, version);
        const found = await collect(
          log.read(origin?.stream ?? "", { from: origin?.version ?? 0, to: origin?.version ?? 0 }),
        );
        expect(found.map((fact) => fact.position)).toEqual([position]);
      }
      expect(originOf(parts, Math.min(...whole.map(({ version }) => version)) - 1)).toBeNull();
    }),
  );
  await log.close();
});
