import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTEXT_CAP, contextBlock, cutAt, joinContext } from "../../src/hooks/index.ts";

const anyText = fc.string({ unit: "binary", maxLength: 60 });
const points = (text: string): number => [...text].length;

describe("a text with a cap", () => {
  test("keeps the cap in code points, and is a beginning of what it was", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (text, cap) => {
          const cut = cutAt(text, cap);
          expect(points(cut)).toBeLessThanOrEqual(cap);
          expect(cut.isWellFormed()).toBe(true);
          if (points(text) <= cap) expect(cut).toBe(text);
          else {
            expect(points(cut)).toBe(cap);
            expect(cut.endsWith("…")).toBe(true);
            expect(text.startsWith(cut.slice(0, -1))).toBe(true);
          }
        },
      ),
    );
  });

  test("one code point more than the cap costs two", () => {
    expect(cutAt("abcd", 4)).toBe("abcd");
    expect(cutAt("abcde", 4)).toBe("abc…");
    expect(cutAt("a\u{1F600}\u{1F600}", 2)).toBe("a…");
  });
});

describe("context of hooks", () => {
  test("holds its cap and no unsafe control, whatever the hooks say", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, fc.anything()), { maxLength: 6 }), (values) => {
        const joined = joinContext(values);
        if (joined === null) return;
        expect(points(joined)).toBeLessThanOrEqual(CONTEXT_CAP);
        expect(joined.isWellFormed()).toBe(true);
        expect(joined).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/); // oxlint-disable-line no-control-regex
        expect(joined).toBe(joined.trim());
      }),
    );
  });

  test("stands in the order of the values", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { maxLength: 9 }), (texts) => {
        expect(joinContext(texts)).toBe(texts.length === 0 ? null : texts.join("\n\n"));
      }),
    );
  });

  test.each([
    ["another type", 7],
    ["half a surrogate pair", "a\uD83D"],
    ["only blanks", " \r\n\t "],
    ["only controls", "\u0000\u001B\u202E"],
  ])("passes over %s", (_what, value) => {
    expect(joinContext([value])).toBeNull();
    expect(contextBlock([value, "kept"])).toBe("[hook context]\nkept");
  });

  test("has line feeds for every line end", () => {
    expect(joinContext(["a\r\nb\rc\nd"])).toBe("a\nb\nc\nd");
  });

  test("of 3,990 letters and 20 emoji is cut at 4,000 code points", () => {
    const block = contextBlock(["a".repeat(3990) + "\u{1F600}".repeat(20)]);
    const joined = block?.slice("[hook context]\n".length) ?? "";
    expect(points(joined)).toBe(4000);
    expect(joined.startsWith("a".repeat(3990))).toBe(true);
    expect(Buffer.from(joined, "utf8").toString("utf8")).toBe(joined);
  });
});
