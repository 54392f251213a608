import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import { CallLedger } from "../../src/inspector/derive/calls.ts";
import { decisionTree } from "../../src/inspector/derive/decision-tree.ts";
import { FactColumns, knownFact } from "../../src/inspector/derive/fact-columns.ts";
import { matches, matchingVersions, parseFilter } from "../../src/inspector/derive/filter.ts";
import { bucketsOf, shownMarks } from "../../src/inspector/derive/timeline.ts";
import { UsageLedger } from "../../src/inspector/derive/usage.ts";

/** A session's facts with calls that come as far as chance has it. */
const steps = fc.array(
  fc.record({
    type: fc.constantFrom(
      "prompt.submitted",
      "model.responded",
      "tool_call.requested",
      "tool_call.started",
      "tool_call.returned",
      "tool_call.completed",
      "tool_call.blocked",
      "approval.requested",
      "approval.resolved",
      "hook.requested",
      "hook.answered",
      "turn.started",
      "something.unknown",
    ),
    call: fc.nat({ max: 5 }),
    back: fc.nat({ max: 6 }),
    isInput: fc.boolean(),
    isError: fc.boolean(),
    text: fc.constantFrom("deploy", "Deploy now", "error", "x y", "", "a:b"),
  }),
  { maxLength: 60 },
);

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

function factsOf(all: readonly Step[]): Fact[] {
  let answered = 0;
  const versions = new Map<string, number>();
  return all.map((step, at) => {
    const version = at + 1;
    if (step.type === "model.responded") {
      answered += 1;
      versions.set(`call_${answered}`, version);
    }
    return {
      position: version * 3,
      stream: "session-s1",
      version,
      type: step.type,
      schemaVersion: schemaVersionOf(step.type),
      at: 1_000 + version,
      actor: "sessions/s1",
      causation: step.back === 0 || step.back > at ? null : version - step.back,
      correlation: null,
      kind: step.isInput ? "input" : "decision",
      data: dataOf(step, answered),
      hash: "",
    };
  });
}

function schemaVersionOf(type: string): number {
  if (type === "tool_call.returned") return 3;
  const second = [
    "prompt.submitted",
    "model.responded",
    "tool_call.requested",
    "tool_call.blocked",
    "approval.requested",
    "tool_call.started",
  ];
  return second.includes(type) ? 2 : 1;
}

const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 0 };

function dataOf({ type, call, isError, text }: Step, answered: number): unknown {
  const callId = `call_${call}`;
  switch (type) {
    case "prompt.submitted":
      return { runId: "run_1", content: [{ type: "text", text }] };
    case "model.responded":
      return {
        content: [{ type: "text", text }],
        calls: [{ callId: `call_${answered}`, name: text || "bash", args: { text }, argumentsText: null }],
        finishReason: "tool_calls",
        usage,
      };
    case "turn.started":
      return { turn: call };
    case "hook.answered":
      return {
        callId,
        hook: "onToolCall",
        answers: [
          {
            module: "m",
            sha256: null,
            handler: 0,
            answer: isError ? { block: text } : null,
            failure: null,
            durationMs: 1,
          },
        ],
      };
    case "hook.requested":
      return { callId, hook: "onToolCall" };
    case "tool_call.requested":
      return {
        callId,
        name: "bash",
        approval: "auto",
        hooks: 1,
        resultHooks: 0,
        idempotent: false,
        mode: "normal",
      };
    case "tool_call.returned":
      return {
        callId,
        isError,
        errorType: null,
        isThrown: false,
        content: [{ type: "text", text }],
        details: null,
        trust: "trusted",
        receipt: null,
      };
    case "tool_call.completed":
      return { callId, isError, reason: null, content: null, details: null };
    case "tool_call.blocked":
      return { callId, errorType: isError ? "approval_denied" : "blocked", reason: text, context: null };
    case "approval.requested":
      return { callId, name: "bash", args: null };
    case "approval.resolved":
      return { callId, verdict: isError ? "deny" : "allow", reason: null };
    default:
      return { callId, name: text };
  }
}

function taken(facts: readonly Fact[]): { columns: FactColumns; calls: CallLedger; usage: UsageLedger } {
  const made = { columns: new FactColumns(), calls: new CallLedger(), usage: new UsageLedger({}) };
  for (const fact of facts) {
    const known = knownFact(fact);
    made.columns.take(fact, known);
    if (known === null) continue;
    made.calls.take(known);
    made.usage.take(known);
  }
  return made;
}

const runs = { numRuns: 150 };

test("buckets cover every fact once, in order, and their counts add up to the facts", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 80 }), (all, count) => {
      const { columns } = taken(factsOf(all));
      const buckets = bucketsOf(columns, count);
      expect(buckets.length).toBe(Math.min(count, all.length));
      let next = 1;
      for (const { from, to, counts } of buckets) {
        expect(from).toBe(next);
        expect(Object.values(counts).reduce((a, b) => a + b)).toBe(to - from + 1);
        next = to + 1;
      }
      expect(next).toBe(all.length + 1);
    }),
    runs,
  );
});

test("a filter finds what looking at each fact by itself finds, and its negation the rest", () => {
  const words = fc.constantFrom(
    "deploy",
    "error",
    "blocked",
    "type:tool_call",
    "tool:bash",
    "call:call_1",
    "lane:tool",
    "kind:input",
    '"error"',
    "a:b",
    "DEPLOY",
    "type:",
  );
  fc.assert(
    fc.property(steps, fc.array(words, { maxLength: 3 }), (all, terms) => {
      const facts = factsOf(all);
      const { columns } = taken(facts);
      const found = matchingVersions(columns, parseFilter(terms.join("  ")));
      const brute = facts
        .map(({ version }) => version)
        .filter((version) => terms.every((word) => bruteForce(word, columns.row(version))));
      expect(found).toEqual(brute);
      for (const word of terms) {
        const not = parseFilter(`-${word}`);
        for (const { version } of facts)
          expect(matches(not, columns.row(version))).toBe(!bruteForce(word, columns.row(version)));
      }
    }),
    runs,
  );
});

function bruteForce(word: string, row: ReturnType<FactColumns["row"]>): boolean {
  if (word === "error") return row.isError;
  if (word === "blocked") return row.isBlocked;
  const [, field, value = ""] = /^(type|tool|call|lane|kind):(.+)$/.exec(word) ?? [];
  if (field === "type") return row.type.startsWith(value);
  if (field === "tool") return row.tool?.toLowerCase() === value;
  if (field === "call") return row.callId === value;
  if (field === "lane") return row.lane === value;
  if (field === "kind") return row.kind === value;
  const text = word.replaceAll('"', "").toLowerCase();
  return [row.summary, row.type, row.tool, row.callId].some(
    (part) => part?.toLowerCase().includes(text) ?? false,
  );
}

test("calls at a version are those of the facts up to there, each once, and never know what came later", () => {
  fc.assert(
    fc.property(steps, fc.nat({ max: 60 }), (all, at) => {
      const facts = factsOf(all);
      const whole = taken(facts).calls.at(at, 0, 1_000);
      expect(whole).toEqual(taken(facts.slice(0, at)).calls.at(at, 0, 1_000));
      const ids = facts
        .slice(0, at)
        .flatMap(({ type, data }) =>
          type === "model.responded"
            ? (data as { calls: { callId: string }[] }).calls.map(({ callId }) => callId)
            : [],
        );
      expect(whole.map(({ callId }) => callId)).toEqual(ids);
    }),
    runs,
  );
});

test("the tree of a unit begins with an input or a fact without a known cause, and holds each decision once", () => {
  fc.assert(
    fc.property(steps, fc.nat({ max: 59 }), fc.integer({ min: 1, max: 20 }), (all, place, most) => {
      fc.pre(all.length > 0);
      const { columns } = taken(factsOf(all));
      const version = (place % all.length) + 1;
      const { unit, unitLeftOut } = decisionTree(columns, version, most);
      const seen: number[] = [];
      const visit = ({ row, children }: typeof unit): void => {
        seen.push(row.version);
        for (const child of children) {
          expect([child.row.causation, child.row.kind]).toEqual([row.version, "decision"]);
          visit(child);
        }
      };
      visit(unit);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBeLessThanOrEqual(most);
      if (unitLeftOut === 0) expect(seen).toContain(version);
    }),
    runs,
  );
});

test("marks that are left out are of the most frequent kinds, and the rest stays in order", () => {
  const marks = Array.from({ length: 20 }, (_, at) => ({
    version: at + 1,
    kind: at === 9 ? ("error" as const) : ("turn" as const),
  }));
  expect(shownMarks(marks, 5).map(({ version }) => version)).toEqual([1, 2, 3, 4, 10]);
  expect(shownMarks(marks, 20)).toBe(marks);
});

test("points of usage are at most as many as asked for, rise, and end with the sum", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 2, max: 20 }), (all, most) => {
      const { usage: ledger } = taken(factsOf(all));
      const points = ledger.points(most);
      expect(points.length).toBeLessThanOrEqual(most);
      const sums = points.map((point) => point.usage.inputTokens);
      expect(sums).toEqual([...sums].sort((a, b) => a - b));
      expect(sums.at(-1) ?? 0).toBe(3 * all.filter(({ type }) => type === "model.responded").length);
    }),
    runs,
  );
});
