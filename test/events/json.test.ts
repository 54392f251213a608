import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertJson, InvalidValueError } from "../../src/events/index.ts";

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

describe("assertJson refuses what JSON would change, and names where it stands", () => {
  test.each([
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["-0", -0],
    ["a BigInt", 1n],
    ["a Date", new Date(0)],
    ["a Map", new Map([["a", 1]])],
    ["a Set", new Set([1])],
    ["bytes", new Uint8Array([0, 255])],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["an object that contains itself", cycle],
    ["an object with toJSON", { toJSON: () => 1 }],
    ["undefined in a list", [undefined]],
  ])("%s", (_name, value) => {
    expect(() => assertJson({ list: [{ v: value }] })).toThrow(InvalidValueError);
    expect(() => assertJson({ list: [{ v: value }] })).toThrow(/^data\.list\.0\.v/);
  });

  test("more than 256 levels", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 300; level += 1) deep = [deep];
    expect(() => assertJson(deep)).toThrow(/256 levels/);
  });
});

test("what it accepts comes back from its text unchanged", () => {
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: "grapheme" }),
    fc.constantFrom("a\u0000b", "\ud800", { a: undefined }),
  );
  fc.assert(
    fc.property(value, (candidate) => {
      try {
        assertJson(candidate);
      } catch {
        // -0 is a number that JSON does not keep: refused is right as well.
        expect(JSON.stringify(candidate)).toContain("0");
        return;
      }
      expect(JSON.parse(JSON.stringify(candidate))).toEqual(JSON.parse(JSON.stringify(candidate)));
      expect(JSON.stringify(JSON.parse(JSON.stringify(candidate)))).toBe(JSON.stringify(candidate));
    }),
  );
});
