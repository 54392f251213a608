import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { evaluate, freshFolder, write } from "./bundle-support.ts";

async function stackOf(files: Readonly<Record<string, string>>) {
  const folder = write(files);
  const bundle = await bundleExtension(path.join(folder, "e.ts"), { cacheDir: freshFolder("cache") });
  const { stack = "" } = await evaluate(bundle);
  return { folder, bundle, stack: bundle.mapPositions(stack) };
}

test("a stack shows the author's files, lines and columns, on the first line and after a computed import too", async () => {
  const { folder, stack } = await stackOf({
    "e.ts": 'interface X { a: string }\n\nimport { f } from "./lib/h";\nexport default await f();',
    "lib/h.ts":
      'export async function f(): Promise<void> { await (import("no" + "de:fs") as Promise<unknown>); g(); }\n\nfunction g(): void {\n  throw new TypeError("deep");\n}',
  });
  expect(stack).toContain(`at g (${path.join(folder, "lib/h.ts")}:4:9)`);
  expect(stack).toContain(`at f (${path.join(folder, "lib/h.ts")}:1:96)`);
  expect(stack).toContain(`at async ${path.join(folder, "e.ts")}:4:16`);
  expect(stack).not.toContain(".mjs");
});

test("a place without a column, and a path instead of a URL, are mapped too; other text stays", async () => {
  const { folder, bundle } = await stackOf({ "e.ts": "type A = 1;\n\n\nexport default (() => 12345)();" });
  const file = fileURLToPath(bundle.url);
  const line =
    readFileSync(file, "utf8")
      .split("\n")
      .findIndex((text) => text.includes("12345")) + 1;
  const e = path.join(folder, "e.ts");
  expect(bundle.mapPositions(`${bundle.url}:${line}\nfoo`)).toBe(`${e}:4\nfoo`);
  expect(bundle.mapPositions(`a ${file}:${line}:9 b ${file}`)).toMatch(
    new RegExp(`^a ${e}:4:\\d+ b ${file}$`),
  );
  expect(bundle.mapPositions("nothing:1:2")).toBe("nothing:1:2");
  expect(bundle.mapPositions(`${bundle.url}:999999:1`)).toContain("999999");
});

test("the hash is that of the code", async () => {
  const { bundle } = await stackOf({ "e.ts": "export default 1;" });
  expect(bundle.sha256).toBe(
    createHash("sha256")
      .update(readFileSync(new URL(bundle.url)))
      .digest("hex"),
  );
});
