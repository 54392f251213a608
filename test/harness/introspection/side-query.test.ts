import { expect, test } from "vitest";
import type { KnownFact } from "../../../src/events/index.ts";
import { recordOfSideQuery } from "../../../src/harness/index.ts";

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const asked = {
  type: "side_query.asked",
  data: {
    queryId: "sq_1",
    question: "hush",
    sourceSessionId: "s",
    source: "live",
    model: null,
    thinkingLevel: null,
    timeoutMs: 1,
    limit: 1,
  },
};
const answered = {
  type: "side_query.answered",
  data: {
    text: "hush",
    model: "m/x",
    modelId: "x",
    usage,
    durationMs: 7,
    sourceVersion: 3,
    messages: 1,
    leftOut: 0,
  },
};
const failed = { type: "side_query.failed", data: { reason: "timeout", why: null, usage, durationMs: 9 } };
const recordOf = (fact: object) => recordOfSideQuery("sq_1", "s", fact as KnownFact);

test("a side query is told of under its session and its own key, without a word of its content", () => {
  const records = [asked, answered, failed].map(recordOf);
  expect(records.map((record) => [record?.eventType, record?.payload])).toEqual([
    ["side_query_asked", { queryId: "sq_1", source: "live" }],
    ["side_query_answered", { queryId: "sq_1", model: "m/x", durationMs: 7 }],
    ["side_query_failed", { queryId: "sq_1", reason: "timeout", durationMs: 9 }],
  ]);
  expect(
    records.every((record) => record?.sessionId === "s" && record.sessionKey === "side_query:sq_1"),
  ).toBe(true);
  expect(JSON.stringify(records)).not.toContain("hush");
  expect(recordOf({ type: "session.shut_down", data: { reason: "normal" } })).toBeNull();
});
