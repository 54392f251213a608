import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newRunner, stepToolRunner, type ToolRunnerEvent } from "../../src/actors/tool-runner/machine.ts";
import type { Decision, FactData } from "../../src/events/index.ts";
import { returned } from "../support/streams.ts";

type Approval = "auto" | "ask" | "deny";
type Answer = FactData<"hook.answered">["answers"][number];

const call = (approval: Approval, hooks = 0, resultHooks = 0): ToolRunnerEvent => ({
  type: "tool_call.requested",
  version: 1,
  at: 0,
  data: { callId: "c", name: "t", approval, hooks, resultHooks, idempotent: false, mode: "normal" },
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
  ...returned("c", "x", { isError, errorType: isError ? "tool_exception" : null, isThrown: isError }),
});
const abort: ToolRunnerEvent = { type: "abort.requested", version: 4, at: 0, data: { reason: "enough" } };
const said = (answer: unknown): Answer => ({
  module: "m",
  sha256: null,
  handler: 0,
  answer,
  failure: null,
  durationMs: 1,
});
const broken: Answer = {
  ...said(null),
  failure: { kind: "throw", class: "Error", message: "broken" },
};
const answered = (hook: "onToolCall" | "onToolResult", ...answers: Answer[]): ToolRunnerEvent => ({
  type: "hook.answered",
  version: 5,
  at: 0,
  data: { callId: "c", hook, masked: false, answers },
});

function decide(events: readonly ToolRunnerEvent[]): Decision[] {
  let state = newRunner;
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
    [
      "a hook that blocks asks nobody",
      [call("ask", 1, 1), answered("onToolCall", said({ block: "no" }))],
      ["hook.requested", "tool_call.blocked"],
    ],
    [
      "a hook that fails blocks",
      [call("auto", 1), answered("onToolCall", broken)],
      ["hook.requested", "tool_call.blocked"],
    ],
    [
      "a hook that lets it pass leaves the approval to a person",
      [call("ask", 1), answered("onToolCall", said(null)), resolved("allow"), result(false)],
      ["hook.requested", "approval.requested", "tool_call.started", "tool_call.completed"],
    ],
    [
      "a result is reviewed before it is told",
      [call("auto", 0, 1), result(false), answered("onToolResult", said(null))],
      ["tool_call.started", "hook.requested", "tool_call.completed"],
    ],
    [
      "a refusal is reviewed too",
      [call("deny", 0, 1), answered("onToolResult", said(null))],
      ["hook.requested", "tool_call.blocked"],
    ],
    ["abort while hooks judge ends it", [call("auto", 1), abort], ["hook.requested", "tool_call.completed"]],
  ])("%s", (_name, events, decided) => {
    expect(types(decide(events))).toEqual(decided);
  });

  test("the arguments that a hook gave are asked about and run", () => {
    const args = { command: "ls" };
    const decisions = decide([
      call("ask", 1),
      answered("onToolCall", said({ replaceArgs: args })),
      resolved("allow"),
    ]);
    expect(decisions.slice(1)).toMatchObject([
      { type: "approval.requested", data: { args } },
      { type: "tool_call.started", data: { args } },
    ]);
  });

  test("context of both kinds of hook stands in one block after the result", () => {
    const decisions = decide([
      call("auto", 1, 1),
      answered("onToolCall", said({ additionalContext: "before" })),
      result(false),
      answered("onToolResult", said({ additionalContext: "after", replace: { details: { shown: 1 } } })),
    ]);
    expect(decisions.at(-1)).toMatchObject({
      type: "tool_call.completed",
      data: {
        content: [
          { type: "text", text: "x" },
          { type: "text", text: "[hook context]\nbefore\n\nafter" },
        ],
        details: { shown: 1 },
      },
    });
  });
});

test("whatever comes in whatever order: one end at most, and nothing after it", () => {
  const later = fc.constantFrom(
    resolved("allow"),
    resolved("deny"),
    result(true),
    result(false),
    answered("onToolCall", said(null)),
    answered("onToolCall", said({ block: "no" })),
    answered("onToolResult", broken),
    abort,
  );
  fc.assert(
    fc.property(
      fc.constantFrom("auto" as const, "ask" as const, "deny" as const),
      fc.integer({ min: 0, max: 1 }),
      fc.integer({ min: 0, max: 1 }),
      fc.array(later, { maxLength: 8 }),
      (approval, hooks, resultHooks, events) => {
        const decided = types(decide([call(approval, hooks, resultHooks), ...events]));
        const ends = decided.filter((type) => type === "tool_call.completed" || type === "tool_call.blocked");
        expect(ends.length).toBeLessThanOrEqual(1);
        if (ends.length === 1) expect(decided.at(-1)).toBe(ends[0]);
      },
    ),
  );
});
