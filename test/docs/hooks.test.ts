import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hookNames } from "../../src/extensions/index.ts";
import { CONTEXT_CAP, isReceiptKey, REASON_CAP } from "../../src/hooks/index.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/reference/hooks.md"), "utf8");
const sections = new Map(
  page.split(/^#+ /m).map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

test("the reference of hooks lists each of them, and no other", () => {
  const rows = [...page.matchAll(/^\| (`on\w+`(?:, `on\w+`)*) \|/gm)].map(([, names = ""]) => names);
  const listed = rows.flatMap((names) => names.match(/on\w+/g) ?? []);
  expect(listed.toSorted()).toEqual([...hookNames].toSorted());
});

test("it has each section that the source cites", () => {
  const cited = ["Observers", "Messages", "Intercepting", "Context", "Receipts"];
  expect(cited.filter((name) => !sections.has(name))).toEqual([]);
});

test("it lists each key of a receipt, and no other", () => {
  const source = readFileSync(path.join(root, "src/hooks/details.ts"), "utf8");
  const reserved = [...source.matchAll(/^ {4}"([a-z ]+)"/gm)].flatMap(([, words = ""]) =>
    words.trim().split(" "),
  );
  const [, list = ""] = /is one of ([^]*?)\.\n/.exec(sections.get("Receipts") ?? "") ?? [];
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, key = ""]) => key);
  expect(listed.toSorted()).toEqual(reserved.toSorted());
  expect(listed.filter((key) => !isReceiptKey(key))).toEqual([]);
});

test("it tells the limits of texts", () => {
  expect(page).toContain(`at most ${CONTEXT_CAP.toLocaleString("en")} characters`);
  expect(page).toContain(`at most ${REASON_CAP} characters`);
});
