/** What the answers of handlers add up to, under any answers that JSON can hold. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  blockOf,
  CONTEXT_CAP,
  CONTEXT_LABEL,
  joinContext,
  judgeCall,
  REASON_CAP,
  reviewResult,
  type HookAnswer,
} from "../../src/hooks/index.ts";
import { rounds } from "../support/soak.ts";

const numRuns = rounds(500, 5_000, 50_000);

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", " ", "\u0007", "a\uD800"),
);
const long = fc.integer({ min: 0, max: 5_000 }).map((length) => "\u{1F600}".repeat(length));
const context = fc.oneof(text, long, fc.jsonValue());
const block = fc.oneof(text, long, fc.constantFrom(false, null, true, 0), fc.jsonValue());
const args = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue());

const callAnswer = fc.oneof(
  fc.record({ additionalContext: context, block, replaceArgs: args }, { requiredKeys: [] }),
  fc.record({ additionalContext: context, replaceArgs: args }, { requiredKeys: [] }),
  fc.jsonValue(),
);
const block2 = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string() }),
  fc.record({ type: fc.constant("image"), data: fc.string(), mimeType: fc.string() }),
  fc.jsonValue(),
);
const replace = fc.record(
  { content: fc.oneof(fc.array(block2), fc.jsonValue()), details: args },
  { requiredKeys: [] },
);
const resultAnswer = fc.oneof(
  fc.record({ additionalContext: context, replace, isError: fc.boolean() }, { requiredKeys: [] }),
  fc.jsonValue(),
);

function recorded(answers: fc.Arbitrary<unknown>): fc.Arbitrary<HookAnswer[]> {
  const failure = fc.option(
    fc.record({
      kind: fc.constantFrom("throw" as const, "timeout" as const, "crash" as const, "invalid" as const),
      class: fc.string(),
      message: fc.string(),
    }),
    { freq: 8 },
  );
  return fc.array(
    fc.tuple(answers, failure).map(([answer, failed]): HookAnswer => ({
      module: "m",
      sha256: null,
      handler: 0,
      answer: failed === null ? answer : null,
      failure: failed,
      durationMs: 0,
    })),
    { maxLength: 6 },
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

describe("the verdict about a call", () => {
  test("is that of the first that blocked or failed; nothing after it counts", () => {
    fc.assert(
      fc.property(recorded(callAnswer), recorded(callAnswer), (answers, more) => {
        const verdict = judgeCall(answers);
        const first = answers.findIndex(
          ({ answer, failure }) => failure !== null || blockOf(answer) !== null,
        );
        expect(verdict.blocked === null).toBe(first === -1);
        if (first === -1) return;
        expect(judgeCall([...answers, ...more])).toEqual(verdict);
        expect(judgeCall(answers.slice(0, first + 1))).toEqual(verdict);
        expect(verdict.args).toBeNull();
        expect([...(verdict.blocked ?? "")].length).toBeLessThanOrEqual(REASON_CAP);
        expect(verdict.blocked).not.toBe("");
      }),
      { numRuns },
    );
  });

  test("without a block has the last arguments that are an object", () => {
    fc.assert(
      fc.property(recorded(callAnswer), (answers) => {
        const verdict = judgeCall(answers);
        if (verdict.blocked !== null) return;
        const given = answers.flatMap(({ answer }) =>
          isObject(answer) && isObject(answer["replaceArgs"]) ? [answer["replaceArgs"]] : [],
        );
        expect(verdict.args).toEqual(given.at(-1) ?? null);
      }),
      { numRuns },
    );
  });
});

describe("a reviewed result", () => {
  test("takes nothing from handlers that failed", () => {
    fc.assert(
      fc.property(recorded(resultAnswer), (answers) => {
        const result = {
          content: [{ type: "text" as const, text: "x" }],
          details: { own: 1 },
          isThrown: false,
        };
        const sound = answers.filter(({ failure }) => failure === null);
        expect(reviewResult(result, [], answers)).toEqual(reviewResult(result, [], sound));
      }),
      { numRuns },
    );
  });

  test("has at most one block of context, the last, within its cap", () => {
    fc.assert(
      fc.property(fc.array(context), recorded(resultAnswer), (callContext, answers) => {
        const result = { content: [], details: null, isThrown: false };
        const { content } = reviewResult(result, callContext, answers);
        const texts = (content ?? []).flatMap((each) => (each.type === "text" ? [each.text] : []));
        const given = [
          ...callContext,
          ...answers.flatMap(({ answer, failure }) =>
            failure === null && isObject(answer) ? [answer["additionalContext"]] : [],
          ),
        ];
        const joined = joinContext(given);
        if (joined === null) return;
        expect(texts.at(-1)).toBe(`${CONTEXT_LABEL}\n${joined}`);
        expect([...joined].length).toBeLessThanOrEqual(CONTEXT_CAP);
        expect(joined.isWellFormed()).toBe(true);
      }),
      { numRuns },
    );
  });

  test("of an exception never changes", () => {
    fc.assert(
      fc.property(fc.array(context), recorded(resultAnswer), (callContext, answers) => {
        const result = { content: [{ type: "text" as const, text: "x" }], details: null, isThrown: true };
        expect(reviewResult(result, callContext, answers)).toEqual({ content: null, details: null });
      }),
      { numRuns },
    );
  });
});
