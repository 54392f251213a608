import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isReceiptKey, withReceipts } from "../../src/hooks/index.ts";
import { rounds } from "../support/soak.ts";

const numRuns = rounds(500, 5_000, 50_000);

/** Keys that are reserved in some spelling, nearly reserved, dangerous, or anything. */
const key = fc.oneof(
  fc.constantFrom(
    ..."receipt checkpoint_id checkpointIds AFFECTED-PATHS bytes_written Success partialError originalFiles".split(
      " ",
    ),
    ..."resolved-Path first_changed_line oldText new_text files results before after acp".split(" "),
  ),
  fc.constantFrom("path", "diff", "additions", "removals", "receipts", "file", "title"),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty"),
  fc.string(),
);
const details = fc.dictionary(key, fc.jsonValue());
const given = fc.oneof(details, fc.constant(null), fc.array(fc.jsonValue()), fc.string(), fc.integer());

/** Entries whose key is, or is not, a receipt. */
function entries(value: Readonly<Record<string, unknown>> | null, areReceipts: boolean): [string, unknown][] {
  return Object.entries(value ?? {}).filter(([name]) => isReceiptKey(name) === areReceipts);
}

describe("details after a hook", () => {
  test("hold every receipt of the original with its value, and no other", () => {
    fc.assert(
      fc.property(fc.option(details), given, (original, answer) => {
        const after = withReceipts(original, answer);
        expect(new Map(entries(after, true))).toEqual(new Map(entries(original, true)));
      }),
      { numRuns },
    );
  });

  test("hold of the rest what the hook gave, and nothing that reaches a prototype", () => {
    fc.assert(
      fc.property(fc.option(details), details, (original, answer) => {
        const after = withReceipts(original, answer);
        const dangerous = new Set(["__proto__", "constructor", "prototype"]);
        const own = entries(answer, false).filter(([name]) => !dangerous.has(name));
        expect(new Map(entries(after, false))).toEqual(new Map(own));
        expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
      }),
      { numRuns },
    );
  });

  test("stay as they are when the hook gave no object", () => {
    fc.assert(
      fc.property(fc.option(details), fc.oneof(fc.string(), fc.array(fc.jsonValue())), (original, answer) => {
        expect(withReceipts(original, answer)).toEqual(original);
      }),
      { numRuns },
    );
  });
});
