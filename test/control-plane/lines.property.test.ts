import fc from "fast-check";
import { expect, test } from "vitest";
import { idTexts } from "../../src/control-plane/message/id-text.ts";
import { lineOf } from "../../src/control-plane/message/reply.ts";
import { LineCutter } from "../../src/control-plane/stdio/lines.ts";
import { rounds } from "../support/soak.ts";

test("lines are the same however the bytes are cut, and long ones are told once", () => {
  const line = fc.stringMatching(/^[a-z\r ]{0,30}$/);
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(fc.nat(40)),
      fc.integer({ min: 1, max: 20 }),
      (lines, cuts, limit) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
        const cutter = new LineCutter(limit);
        const seen: string[] = [];
        const note = (found: readonly (Buffer | "too_long")[]): void =>
          void seen.push(...found.map((each) => (each === "too_long" ? "LONG" : each.toString())));
        let from = 0;
        for (const length of cuts) {
          note(cutter.push(bytes.subarray(from, from + length)));
          from += length;
        }
        note(cutter.push(bytes.subarray(from)));
        note(cutter.end());
        expect(seen).toEqual(
          lines.map((each) => {
            const plain = each.replace(/\r$/, "");
            return plain.length > limit ? "LONG" : plain;
          }),
        );
      },
    ),
    { numRuns: rounds(300, 3_000, 30_000) },
  );
});

test("the ids of a batch are found as they were written, whatever stands around them", () => {
  const id = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom("1.0", "-0", "12345678901234567890", "1e400"),
  );
  const other = fc.tuple(fc.string(), fc.jsonValue());
  const call = fc.tuple(fc.array(other), id, fc.array(other)).map(([before, text, after]) => {
    const member = ([key, value]: [string, unknown]): string[] =>
      key === "id" ? [] : [`${JSON.stringify(key)} : ${JSON.stringify(value, null, 1)}`];
    return {
      id: text,
      text: `{ ${[...before.flatMap(member), `"id" :${text}`, ...after.flatMap(member)].join(" ,")} }`,
    };
  });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
      expect(idTexts(` [${calls.map(({ text }) => text).join(", ")}] `)).toEqual(
        calls.map((each) => each.id),
      );
      expect(idTexts(calls[0]?.text ?? "")).toEqual([calls[0]?.id]);
    }),
    { numRuns: rounds(300, 3_000, 30_000) },
  );
});

test("an answer is one line for any reader of lines, and means the same", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.string({ unit: fc.constantFrom("\u2028", "\u2029", "\n", "\r", "\u0085", "a") }),
      (value, text) => {
        const written = lineOf({ value, text });
        expect(written).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ value, text })));
      },
    ),
  );
});
