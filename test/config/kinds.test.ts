import { describe, expect, test } from "vitest";
import { editDistance, nearest } from "../../src/config/edit-distance.ts";
import { bool, count, httpUrl, variableName } from "../../src/config/kinds.ts";

describe("yes or no", () => {
  test.each([true, 1, "true", " Yes ", "ON", "1"])("%j is yes", (found) => {
    expect(bool.read(found)).toBe(true);
  });

  test.each([false, 0, "false", "no", " Off", "0"])("%j is no", (found) => {
    expect(bool.read(found)).toBe(false);
  });

  test.each([2, -1, "", "y", "enabled", null, [], {}])("%j is neither", (found) => {
    expect(bool.read(found)).toBeUndefined();
  });
});

describe("counts", () => {
  test.each([0, -1, 1.5, NaN, Infinity, 2 ** 53, "3", true, null])("%j is no count", (found) => {
    expect(count().read(found)).toBeUndefined();
  });

  test("only a count that may be endless takes inf", () => {
    expect(count({ orInfinity: true }).read(Infinity)).toBe(Infinity);
    expect(count({ orInfinity: true }).readText("inf")).toBe(Infinity);
    expect(count().readText("inf")).toBeUndefined();
    expect(count().readText("12")).toBe(12);
    expect(count().readText("1e3")).toBeUndefined();
  });
});

test("an address is http or https", () => {
  expect(httpUrl.read("https://x/v1")).toBe("https://x/v1");
  for (const wrong of ["x", "http://", "file:///etc/passwd", "javascript:alert(1)", 3]) {
    expect(httpUrl.read(wrong)).toBeUndefined();
  }
});

test("a name of a variable holds letters, digits and underscores", () => {
  expect(variableName.read("OPENAI_API_KEY")).toBe("OPENAI_API_KEY");
  for (const wrong of ["", "sk-abc", "1X", "A B"]) expect(variableName.read(wrong)).toBeUndefined();
});

test("the nearest name is the one with fewest edits, within the limit", () => {
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
  expect(nearest("aproval", ["model", "approval"], 3)).toBe("approval");
  expect(nearest("colour", ["model", "approval"], 3)).toBeUndefined();
});
