import { expect, test } from "vitest";
import { describeCall, describeWhole } from "../../src/cli/calls.ts";
import { columns, oneLine, printable, timeOf } from "../../src/cli/printable.ts";

test("what would move a terminal's cursor becomes visible, what only colours stays", () => {
  expect(printable("a\tb\nc")).toBe("a\tb\nc");
  expect(printable("\u001B[2J\u001B]0;title\u0007\rx\u009B")).toBe(
    "\uFFFD[2J\uFFFD]0;title\uFFFD\uFFFDx\uFFFD",
  );
  expect(printable("\u001B[31mred\u001B[39m")).toBe("\u001B[31mred\u001B[39m");
});

test("a text in one line is cut at whole characters", () => {
  expect(oneLine(" a\n  b ", 10)).toBe("a b");
  expect(oneLine("👍👍👍👍", 3)).toBe("👍👍…");
});

test("a call is told by what it is about", () => {
  expect(describeCall("bash", { command: "ls\n-la", timeoutMs: 5 })).toBe("bash ls -la");
  expect(describeCall("grep", { pattern: "x", path: "src" })).toBe("grep src x");
  expect(describeCall("todo", { items: [1] })).toBe('todo {"items":[1]}');
  expect(describeCall("bash", null)).toBe("bash");
});

test("columns are as wide as their widest cell", () => {
  expect(
    columns([
      ["a", "bb", "c"],
      ["aaa", "b", ""],
    ]),
  ).toEqual(["a    bb  c", "aaa  b"]);
});

test("a time that is no date is shown as it is", () => {
  expect([timeOf(0), timeOf(1e20)]).toEqual(["1970-01-01T00:00:00Z", "100000000000000000000"]);
});

test("a call that a person is asked about is shown whole, and can't hide a part of itself", () => {
  const command = `ls ${" ".repeat(200)}; rm -rf x`;
  expect(describeWhole("bash", { command })).toBe(`bash ${command}`);
  expect(describeWhole("bash", { command: "a\u001B[2Kb", timeoutMs: 5 })).toBe(
    'bash {"command":"a\\u001b[2Kb","timeoutMs":5}',
  );
  expect(describeWhole("bash", { command: "a\rb" })).toBe("bash a\uFFFDb");
});
