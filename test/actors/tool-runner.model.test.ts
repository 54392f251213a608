import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  stepToolRunner,
  type ToolRunnerEvent,
  type ToolRunnerState,
} from "../../src/actors/tool-runner/machine.ts";
import type { Decision } from "../../src/events/index.ts";
import { returned } from "../support/streams.ts";

const call = (approval: "auto" | "ask" | "deny"): ToolRunnerEvent => ({
  type: "tool_call.requested",
  version: 1,
  at: 0,
  data: { callId: "c", name: "t", approval, hooks: 0, idempotent: false },
});
const resolved = (verdict: "allow" | "deny"): ToolRunnerEvent => ({
  type: "approval.resolved",
  version: 2,
  at: 0,
  data: { callId: "c", verdict, reason: null },
});
const result = (isError: boolean): ToolRunnerEvent => ({
  version: 3,
  at: 0,
  ...returned("c", "x", { isError, errorType: isError ? "tool_exception" : null }),
});
const abort: ToolRunnerEvent = { type: "abort.requested", version: 4, at: 0, data: { reason: "enough" } };

function decide(events: readonly ToolRunnerEvent[]): Decision[] {
  let state: ToolRunnerState = { phase: "new", call: null };
  const decisions: Decision[] = [];
  for (const event of events) {
    const step = stepToolRunner(state, event);
    state = step.state;
    if (step.decision !== null) decisions.push(step.decision);
  }
  return decisions;
}

const types = (decisions: readonly Decision[]): string[] => decisions.map(({ type }) => type);

describe("a tool runner, given facts, decides", () => {
  test.each([
    [
      "an allowed call starts and ends",
      [call("auto"), result(false)],
      ["tool_call.started", "tool_call.completed"],
    ],
    ["a denied tool is blocked", [call("deny")], ["tool_call.blocked"]],
    [
      "a refused approval blocks",
      [call("ask"), resolved("deny")],
      ["approval.requested", "tool_call.blocked"],
    ],
    [
      "a granted approval starts",
      [call("ask"), resolved("allow"), result(true)],
      ["approval.requested", "tool_call.started", "tool_call.completed"],
    ],
    ["abort while asking ends it", [call("ask"), abort], ["approval.requested", "tool_call.completed"]],
    ["abort while running ends it", [call("auto"), abort], ["tool_call.started", "tool_call.completed"]],
  ])("%s", (_name, events, decided) => {
    expect(types(decide(events))).toEqual(decided);
  });
});

test("whatever comes in whatever order: one end at most, and nothing after it", () => {
  const later = fc.constantFrom(resolved("allow"), resolved("deny"), result(true), result(false), abort);
  fc.assert(
    fc.property(
      fc.constantFrom("auto" as const, "ask" as const, "deny" as const),
      fc.array(later, { maxLength: 6 }),
      (approval, events) => {
        // The slots keep a second result out, so at most one comes.
        const first = events.findIndex(({ type }) => type === "tool_call.returned");
        const taken = events.filter(({ type }, index) => type !== "tool_call.returned" || index === first);
        const decided = types(decide([call(approval), ...taken]));
        const ends = decided.filter((type) => type === "tool_call.completed" || type === "tool_call.blocked");
        expect(ends.length).toBeLessThanOrEqual(1);
        if (ends.length === 1 && first < 0) expect(decided.at(-1)).toBe(ends[0]);
      },
    ),
  );
});
