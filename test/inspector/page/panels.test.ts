/** What the panels draw, derived from answers. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  CallBar,
  DiffAnswer,
  ShownMessage,
  StateAnswer,
  UsagePoint,
} from "../../../src/inspector/api.ts";
import { changedParts, splitMessages } from "../../../src/inspector/page/model/compare.ts";
import { ago, count, dollars, duration, short, within } from "../../../src/inspector/page/model/format.ts";
import { gantt, outcomeTone, outcomeWord, plainArgs } from "../../../src/inspector/page/model/gantt.ts";
import { commandOf, pageOf } from "../../../src/inspector/page/model/keys.ts";
import { usageAt, usageSeries } from "../../../src/inspector/page/model/usage-series.ts";

const moment = (version: number): { version: number; at: number } => ({ version, at: version * 100 });
const bar = (over: Partial<CallBar>): CallBar => ({
  callId: "c",
  tool: "bash",
  turn: 1,
  summary: "",
  answered: moment(1),
  requested: moment(2),
  started: null,
  returned: null,
  ended: null,
  state: "queued",
  outcome: null,
  isError: false,
  reason: null,
  hooks: [],
  approval: null,
  ...over,
});

describe("the Gantt chart", () => {
  test("segments follow each other from the answer to the end", () => {
    const call = bar({
      approval: { asked: moment(3), resolved: moment(5), verdict: "allow", waitedMs: 200 },
      started: moment(5),
      returned: moment(9),
      ended: moment(11),
      outcome: "completed",
      state: "ended",
    });
    const { rows, first, last } = gantt([call], "facts", moment(20));
    expect([first.version, last.version]).toEqual([1, 11]);
    expect(rows[0]?.segments.map(({ phase, from, to }) => [phase, from * 10, to * 10])).toEqual([
      ["judged", 0, 2],
      ["asking", 2, 4],
      ["running", 4, 8],
      ["reviewed", 8, 10],
    ]);
    expect(rows[0]?.tookMs).toBe(1000);
  });

  test("a call that is open lasts to the fact that is looked at", () => {
    const { rows } = gantt([bar({ started: moment(4), state: "running" })], "time", moment(8));
    expect(rows[0]?.to).toBe(1);
  });

  test("all stays within the axis, whatever the clock did", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 20 }),
        (times) => {
          const calls = times.map(([a, b, c], index) =>
            bar({
              callId: String(index),
              answered: { version: index * 3 + 1, at: a },
              started: { version: index * 3 + 2, at: b },
              ended: { version: index * 3 + 3, at: c },
            }),
          );
          for (const { from, to, segments, tookMs } of gantt(calls, "time", { version: 100, at: 0 }).rows) {
            for (const place of [from, to, ...segments.flatMap((segment) => [segment.from, segment.to])]) {
              expect(place).toBeGreaterThanOrEqual(0);
              expect(place).toBeLessThanOrEqual(1);
            }
            expect(tookMs).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  test("says what became of a call", () => {
    expect([outcomeWord(bar({ state: "asking" })), outcomeTone(bar({ state: "asking" }))]).toEqual([
      "waits for approval",
      "warn",
    ]);
    expect(outcomeTone(bar({ outcome: "completed", isError: true }))).toBe("bad");
    expect(outcomeTone(bar({ outcome: "blocked" }))).toBe("warn");
    expect(plainArgs('{"path":"src/a.ts","limit":3}')).toBe("path: src/a.ts, limit: 3");
  });
});

describe("keys", () => {
  const key = (name: string, over = {}): Parameters<typeof commandOf>[0] => ({
    key: name,
    isChord: false,
    isTyping: false,
    isScrolling: false,
    ...over,
  });
  test("never lead past the first fact or the last", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000 }),
        fc.nat(),
        fc.constantFrom("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"),
        (last, seed, name) => {
          const command = commandOf(key(name), 1 + (seed % last), last);
          if (command?.do !== "select") throw new Error("selects nothing");
          expect(command.version).toBeGreaterThanOrEqual(1);
          expect(command.version).toBeLessThanOrEqual(last);
        },
      ),
    );
  });
  test("belong to a field, a chord or a region that scrolls where there is one", () => {
    expect(commandOf(key("ArrowRight", { isTyping: true }), 3, 9)).toBeNull();
    expect(commandOf(key("f", { isChord: true }), 3, 9)).toBeNull();
    expect(commandOf(key("PageDown", { isScrolling: true }), 3, 9)).toBeNull();
    expect(commandOf(key("ArrowRight", { isScrolling: true }), 3, 9)).toEqual({ do: "select", version: 4 });
    expect(commandOf(key("/"), 3, 9)).toEqual({ do: "filter" });
    expect(commandOf(key("2"), 3, 9)).toEqual({ do: "panel", panel: "calls" });
    expect([pageOf(100), pageOf(50_000)]).toEqual([10, 1000]);
  });
});

describe("comparing", () => {
  const state = (views: Record<string, unknown>): StateAnswer => ({
    version: 1,
    at: 0,
    messageCount: 0,
    todos: [],
    todoProgress: { total: 0, completed: 0, inProgress: 0, blocked: 0, pending: 0, percentage: 0 },
    views,
  });
  test("each part has what was and what is", () => {
    const answer: DiffAnswer = {
      a: { sessionId: "s", version: 1 },
      b: { sessionId: "s", version: 2 },
      patch: [
        { op: "replace", path: "/session/status", value: "idle" },
        { op: "remove", path: "/tools/x" },
        { op: "replace", path: "/version", value: 2 },
      ],
      patchLeftOut: 0,
      summary: { session: ["status: running → idle"], messages: [] },
    };
    const parts = changedParts(
      answer,
      state({ session: { status: "running" }, tools: { x: 1 } }),
      state({ session: { status: "idle" } }),
    );
    expect(parts.map(({ part }) => part)).toEqual(["session", "tools"]);
    expect(parts[0]?.changes).toEqual([{ pointer: "/session/status", before: '"running"', after: '"idle"' }]);
    expect(parts[1]?.changes).toEqual([{ pointer: "/tools/x", before: "1", after: null }]);
  });

  test("conversations part where their words do", () => {
    const said = (index: number, text: string, version: number): ShownMessage => ({
      index,
      cutChars: 0,
      message: { role: "user", version, source: "prompt", content: [{ type: "text", text }] },
    });
    const { shared, before, after } = splitMessages(
      [said(0, "a", 3), said(1, "b", 9)],
      [said(0, "a", -4), said(1, "c", 9)],
    );
    expect([shared, before.length, after.length]).toEqual([1, 1, 1]);
  });
});

describe("usage", () => {
  const point = (version: number, inputTokens: number): UsagePoint => ({
    version,
    at: 0,
    usage: { inputTokens, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 },
    cost: null,
  });
  test("begins with nothing, and is that of the last point up to a fact", () => {
    expect(usageSeries([point(7, 5), point(9, 8)])).toMatchObject({
      versions: [1, 7, 9],
      input: [0, 5, 8],
      cost: [0, null, null],
    });
    expect(usageAt([point(7, 5), point(9, 8)], 8)?.version).toBe(7);
    expect(usageAt([point(7, 5)], 6)).toBeNull();
  });
});

test("numbers and times are written for people", () => {
  expect(count(1_234_567)).toBe("1\u202F234\u202F567");
  expect([short(999), short(12_480), short(3_000_000)]).toEqual(["999", "12.4k", "3M"]);
  expect([duration(850), duration(12_340), duration(245_000), duration(11_520_000)]).toEqual([
    "850 ms",
    "12.3 s",
    "4 min 5 s",
    "3 h 12 min",
  ]);
  expect([dollars(null), dollars(0), dollars(0.0213), dollars(1.5)]).toEqual([
    "unknown",
    "$0",
    "$0.0213",
    "$1.50",
  ]);
  expect([ago(0, 1000), ago(0, 300_000), ago(0, 7_200_000), ago(0, 864_000_000)]).toEqual([
    "just now",
    "5 min ago",
    "2 h ago",
    "10 days ago",
  ]);
  expect([within("/a/b", "/a/b/c.ts"), within("/a/b", "/a/bc")]).toEqual(["c.ts", "/a/bc"]);
});
