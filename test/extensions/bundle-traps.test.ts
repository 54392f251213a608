/** What surprises people about Node, TypeScript and bundlers: pinned, so that a new version of esbuild can't change it in silence. */
import { expect, test } from "vitest";
import { bundleOf, evaluate, loadErrorOf, valueOf } from "./bundle-support.ts";

test("an import that only computes its name bundles nothing of the folders below", async () => {
  const bundle = await bundleOf({
    "e.ts": 'export default (name: string) => import("./" + name + ".mjs");',
    "deep/broken.mjs": "let x = ;",
  });
  expect(bundle.inputs).toHaveLength(1);
});

test("a local module that awaits and is required has exports that are not set yet", async () => {
  const value = await valueOf({
    "e.ts": 'const h = require("./h.mjs"); export default ["a" in h, h.a === undefined];',
    "h.mjs": "await 0; export const a = 1;",
  });
  expect(value).toEqual([true, true]);
});

test("verbatimModuleSyntax keeps an import that is only a type", async () => {
  const files = { "e.ts": 'import { T } from "gone"; let x: T; export default {};' };
  expect((await bundleOf(files)).exports).toEqual(["default"]);
  const { errorMessage } = await loadErrorOf({
    ...files,
    "tsconfig.json": '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
  });
  expect(errorMessage).toBe('Compile error: Could not resolve "gone" (line 1)');
});

test("a name that a CommonJS package does not show fails as in plain Node, with Node's hint", async () => {
  const { stack } = await evaluate(
    await bundleOf({
      "e.ts": 'import { chunk } from "old"; export default chunk;',
      "node_modules/old/index.js": "const all = { chunk: 1 }; module.exports = all;",
    }),
  );
  expect(stack).toContain("CommonJS modules can always be imported via the default export");
});

test("a name that `lemon-runtime` does not have is no compile error; it fails when it is linked", async () => {
  const { stack } = await evaluate(
    await bundleOf({
      "e.ts": 'import { nothingOfTheKind } from "lemon-runtime"; export default nothingOfTheKind;',
    }),
  );
  expect(stack).toContain("does not provide an export named 'nothingOfTheKind'");
});

test("the path in a message starts at the extension's folder", async () => {
  const { errorMessage } = await loadErrorOf(
    {
      "a/b/e.ts": 'import { q } from "../c/h"; export default q;',
      "a/c/h.ts": "export const x = 1;",
    },
    "a/b/e.ts",
  );
  expect(errorMessage).toBe('Compile error: No matching export in "../c/h.ts" for import "q" (line 1)');
});

test("twenty loads with a changed helper are never stale", async () => {
  for (let n = 0; n < 20; n += 1) {
    const value = await valueOf({
      "e.ts": 'import { n } from "./h"; export default n;',
      "h.ts": `export const n = ${n};`,
    });
    expect(value).toBe(n);
  }
});
