/** Whatever happens around a call: plan mode only takes away. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlanTool, PLAN_READERS, PLAN_WRITERS } from "../../src/actors/session/plan.ts";
import { newRunner, stepToolRunner, type ToolRunnerEvent } from "../../src/actors/tool-runner/machine.ts";
import type { Decision } from "../../src/events/index.ts";

const requested = fc
  .record({
    name: fc.constantFrom("bash", "echo", ...PLAN_READERS, ...PLAN_WRITERS),
    approval: fc.constantFrom("auto" as const, "ask" as const, "deny" as const),
    hooks: fc.nat(1),
    resultHooks: fc.nat(1),
    mode: fc.constantFrom("normal" as const, "plan" as const),
  })
  // The session refuses a plan call of another tool before it gets a runner.
  .filter(({ mode, name }) => mode === "normal" || isPlanTool(name))
  .map((data): ToolRunnerEvent => ({
    type: "tool_call.requested",
    version: 1,
    at: 0,
    data: { callId: "c", idempotent: false, ...data },
  }));

const happening: fc.Arbitrary<ToolRunnerEvent> = fc.oneof(
  fc.constant<ToolRunnerEvent>({ type: "plan_mode.entered", version: 2, at: 0, data: {} }),
  fc.constantFrom("allow" as const, "deny" as const).map((verdict): ToolRunnerEvent => ({
    type: "approval.resolved",
    version: 2,
    at: 0,
    data: { callId: "c", verdict, reason: null },
  })),
  fc.constantFrom("onToolCall" as const, "onToolResult" as const).map((hook): ToolRunnerEvent => ({
    type: "hook.answered",
    version: 2,
    at: 0,
    data: { callId: "c", hook, masked: false, answers: [] },
  })),
  fc.constant<ToolRunnerEvent>({ type: "abort.requested", version: 2, at: 0, data: { reason: "" } }),
);

test("after plan mode was entered nothing starts but its own tools, as its own, and there is one end", () => {
  fc.assert(
    fc.property(requested, fc.array(happening, { maxLength: 8 }), (first, events) => {
      let state = newRunner;
      let isPlan = first.type === "tool_call.requested" && first.data.mode === "plan";
      const decisions: Decision[] = [];
      for (const event of [first, ...events]) {
        const before = state;
        const step = stepToolRunner(state, event);
        state = step.state;
        const { decision } = step;
        // What is not at rest any more is not told of.
        if (event.type === "plan_mode.entered" && before.phase !== "ended") isPlan = true;
        if (decision === null) continue;
        decisions.push(decision);
        if (decision.type === "tool_call.started") {
          expect(decision.data.mode).toBe(isPlan ? "plan" : "normal");
          if (isPlan) expect(isPlanTool(decision.data.name)).toBe(true);
        }
        if (decision.type === "approval.requested" && isPlan)
          expect(PLAN_WRITERS).not.toContain(decision.data.name);
      }
      const ends = decisions.filter(
        ({ type }) => type === "tool_call.blocked" || type === "tool_call.completed",
      );
      expect(ends.length).toBeLessThanOrEqual(1);
      expect(decisions.filter(({ type }) => type === "tool_call.started").length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2_000 },
  );
});
