import fc from "fast-check";
import { expect, test } from "vitest";
import { byCodePoint } from "../../src/events/index.ts";

test("upper case comes before lower case, and digits are compared one by one", () => {
  expect(["a", "A2", "é", "Z", "A10", ""].toSorted(byCodePoint)).toEqual(["", "A10", "A2", "Z", "a", "é"]);
});

test("a character outside the first plane comes after all of the first plane", () => {
  expect(byCodePoint("\u{1F600}", "\uFF5E")).toBeGreaterThan(0);
});

test("the order is that of the UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(Math.sign(byCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
