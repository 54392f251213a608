import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { errorCodesOf } from "../support/error-codes.ts";

const root = path.resolve(import.meta.dirname, "../..");

test("the reference lists each error code that the source can give, with its classes, and no other", async () => {
  const page = await readFile(path.join(root, "docs/reference/errors.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(LEMON_[A-Z_]+)` \| ([^|]+) \|/gm)];
  const listed = rows.map(([, code = "", classes = ""]) => `${code}: ${sorted(classes.match(/\w+/g) ?? [])}`);
  const given = [...errorCodesOf(root)].map(([code, classes]) => {
    // The base class is only worth a word where no other class gives the code.
    const named = classes.size > 1 ? [...classes].filter((name) => name !== "LemonError") : [...classes];
    return `${code}: ${sorted(named)}`;
  });
  expect(given.length).toBeGreaterThan(10);
  expect(listed.toSorted()).toEqual(given.toSorted());
}, 120_000);

function sorted(names: readonly string[]): string {
  return names.toSorted().join(", ");
}
