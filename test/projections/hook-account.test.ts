/** What an account makes of facts that a session could have, in any number and order. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { noUsage, type Fact } from "../../src/events/index.ts";
import { hookAccount, project, type HookAccount } from "../../src/projections/index.ts";

const callIds = ["a", "b", "__proto__", "constructor"];

function fact(type: string, data: object, version = 1, schemaVersion = 1): Fact {
  const rest = {
    hash: "",
    position: version,
    stream: "session-s",
    at: version * 10,
    actor: "",
    causation: null,
  };
  return { ...rest, version, schemaVersion, type, kind: "input", correlation: null, data };
}

const answered = (calls: readonly string[]): Fact =>
  fact(
    "model.responded",
    {
      modelId: "m",
      content: [],
      calls: calls.map((callId) => ({ callId, name: "t", args: { x: 1 }, approval: "ask" })),
      finishReason: "tool_calls",
      usage: noUsage,
    },
    1,
    2,
  );

const fold = (facts: readonly Fact[]): HookAccount =>
  facts.reduce((view, next) => project(hookAccount, view, next), hookAccount.initial);

const answer = (hook: string, value: unknown, failure: object | null = null) => ({
  hook,
  masked: false,
  answers: [{ module: "m", sha256: null, handler: 0, answer: value, failure, durationMs: 1 }],
});

test("an answer is kept as recorded, and one that is long is cut to a text", () => {
  const short = { block: "no", additionalContext: null };
  const view = fold([
    answered(["a"]),
    fact("hook.answered", { callId: "a", ...answer("onToolCall", short) }),
    fact("hook.answered", { callId: "a", ...answer("onToolResult", { replace: "x".repeat(5_000) }) }),
  ]);
  const [first, second] = view.calls["a"]?.handlers ?? [];
  expect(first).toMatchObject({ said: ["block"], answer: short });
  expect(second).toMatchObject({ said: ["replace"] });
  expect(second?.answer).toHaveLength(2_000);
});

test("an approval tells who was asked, what came, and how long it took", () => {
  const asked = [
    answered(["a"]),
    fact("approval.requested", { callId: "a", name: "t", args: { y: 2 } }, 3, 2),
  ];
  expect(fold(asked).calls["a"]).toMatchObject({
    approval: { mode: "ask", asked: true, verdict: null, waitedMs: null },
    outcome: { status: "pending", args: { y: 2 }, argsReplaced: true },
  });
  const resolved = fact("approval.resolved", { callId: "a", verdict: "deny", reason: "no" }, 9);
  const blocked = { callId: "a", errorType: "approval_denied", reason: "no", context: null };
  expect(fold([...asked, resolved, fact("tool_call.blocked", blocked, 10, 2)]).calls["a"]).toMatchObject({
    approval: { asked: true, verdict: "deny", reason: "no", waitedMs: 60 },
    outcome: { status: "denied", reason: "no" },
  });
});

test("no order of facts breaks it, facts of other calls change nothing, and equal facts give equal bytes", () => {
  const callId = fc.constantFrom(...callIds, "unknown");
  const any = fc.oneof(
    callId.map((id) => fact("hook.answered", { callId: id, ...answer("onToolCall", { block: 1 }) })),
    callId.map((id) => fact("approval.requested", { callId: id, name: "t", args: null }, 2, 2)),
    callId.map((id) => fact("approval.resolved", { callId: id, verdict: "allow", reason: null })),
    callId.map((id) =>
      fact("tool_call.started", { callId: id, name: "t", args: { z: 1 }, mode: "normal" }, 2, 2),
    ),
    callId.map((id) => fact("tool_call.interrupted", { callId: id, reason: "process_died" })),
    callId.map((id) =>
      fact("tool_call.completed", { callId: id, isError: false, reason: null, content: null, details: null }),
    ),
  );
  fc.assert(
    fc.property(fc.array(any, { maxLength: 20 }), (facts) => {
      const all = [answered(callIds), ...facts];
      const view = fold(all);
      expect(Object.keys(view.calls)).toEqual(Object.keys(fold([answered(callIds)]).calls));
      expect(JSON.stringify(fold(all))).toBe(JSON.stringify(view));
      const of = (id: string): Fact[] =>
        all.filter(
          ({ data, type }) => type === "model.responded" || (data as { callId?: string }).callId === id,
        );
      expect(view.calls["a"]).toEqual(fold(of("a")).calls["a"]);
    }),
  );
});

test("what came out of a call tells its context apart from its result", () => {
  const returned = fact("tool_call.returned", {
    callId: "a",
    isError: false,
    errorType: null,
    isThrown: false,
    content: [{ type: "text", text: "as it was" }],
    details: null,
    trust: "trusted",
  });
  const completed = (texts: readonly string[]): Fact => {
    const content = texts.map((text) => ({ type: "text", text }));
    return fact("tool_call.completed", { callId: "a", isError: false, reason: null, content, details: null });
  };
  const started = fact(
    "tool_call.started",
    {
      callId: "a",
      name: "t",
      idempotent: false,
      args: null,
      mode: "normal",
    },
    1,
    2,
  );
  const after = (end: Fact) => fold([answered(["a"]), started, returned, end]).calls["a"]?.outcome;
  expect(after(completed(["as it was", "[hook context]\nmind it"]))).toMatchObject({
    resultChanged: false,
    context: "[hook context]\nmind it",
  });
  expect(after(completed(["another", "[hook context]\nmind it"]))).toMatchObject({ resultChanged: true });
  expect(after(completed(["another"]))).toMatchObject({ resultChanged: true, context: null });
});
