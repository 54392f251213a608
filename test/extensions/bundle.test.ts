import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { bundleOf, evaluate, freshFolder, valueOf, write } from "./bundle-support.ts";

const asTool = (text: string) => `${text}\nexport default { label };`;

test("TypeScript that can't simply be erased is compiled", async () => {
  const value = await valueOf({
    "e.ts": `
      import { label } from "./only.ts";
      export default { label };`,
    "only.ts": `
      enum Level { Low = 1, High = 2 }
      const enum Fixed { One = 1 }
      namespace Labels { export const prefix = "level"; }
      class Box<T> { constructor(private readonly value: T, public readonly name: string = "box") {} get(): T { return this.value; } }
      abstract class Base { declare readonly kind: string; abstract render(): string; }
      class Shown extends Base {
        accessor tag = ({ tag: "high" } satisfies Record<string, string>).tag;
        override render(): string { return \`\${this.tag}:\${Labels.prefix}:\${new Box<number>(Level.High).get()}:\${Fixed.One}\`; }
      }
      export const label: string = new Shown().render();`,
  });
  expect(value).toEqual({ label: "high:level:2:1" });
});

test("`using` and standard decorators run", async () => {
  const value = await valueOf({
    "e.ts": asTool(`
      const seen: string[] = [];
      function mark(_value: unknown, context: { name: string | symbol }) { seen.push(String(context.name)); }
      class A { @mark run() {} }
      { using held = { [Symbol.dispose]() { seen.push("disposed"); } }; void held; void A; }
      const label = seen.join();`),
  });
  expect(value).toEqual({ label: "run,disposed" });
});

test("decorators are legacy ones where the folder's tsconfig.json says so", async () => {
  const value = await valueOf({
    "e.ts": asTool(`
      let label = ""; function mark(_target: unknown, key?: unknown) { label = typeof key; }
      class A { @mark x = 1; } void A;`),
    "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true } }',
  });
  expect(value).toEqual({ label: "string" });
});

test("helpers import each other in a circle, without a suffix, or with that of the output", async () => {
  const value = await valueOf({
    "e.ts": 'import { a } from "./a"; import { m } from "./m.mjs"; export default { a: a(), m };',
    "a.ts": 'import { b } from "./b.js"; export const one = 1; export const a = () => b() + 1;',
    "b.ts": 'import { one } from "./a.js"; export const b = () => one;',
    "m.mts": "export const m: number = 3;",
  });
  expect(value).toEqual({ a: 2, m: 3 });
});

test("JSON is imported with and without its attribute", async () => {
  const value = await valueOf({
    "e.ts":
      'import a from "./j.json"; import b from "./j.json" with { type: "json" }; export default [a, b];',
    "j.json": '{ "x": 1 }',
  });
  expect(value).toEqual([{ x: 1 }, { x: 1 }]);
});

test("a byte order mark and a shebang are no part of the code", async () => {
  expect(await valueOf({ "e.mts": "\u{FEFF}#!/usr/bin/env node\nexport default 1" }, "e.mts")).toBe(1);
});

test.each(["blank ed", "ha#sh", "qu?ery", "per%20cent", "per%41", "quo'te\"d", "ü😀", "[id]", "a&b!"])(
  "a module in %j knows its own place and what lies beside it",
  async (name) => {
    const folder = write({
      [`${name}/${name}.ts`]: `
        import { readFileSync } from "node:fs"; import { createRequire } from "node:module";
        import h from "./lib/${name.replaceAll('"', '\\"')}h";
        export default {
          url: import.meta.url, dirname: import.meta.dirname, filename: import.meta.filename, old: [__dirname, __filename],
          text: readFileSync(new URL("note.txt", import.meta.url), "utf8"),
          required: createRequire(import.meta.url)("./data.json"), computed: require("./da" + "ta.json"),
          resolved: import.meta.resolve("./note.txt"), h, whole: typeof import.meta, found: require.resolve("./data.json"),
        };`,
      [`${name}/lib/${name}h.ts`]: "export default { url: import.meta.url, dirname: __dirname };",
      [`${name}/note.txt`]: "note",
      [`${name}/data.json`]: "[1]",
    });
    const file = path.join(folder, name, `${name}.ts`);
    const { value, stack } = await evaluate(await bundleExtension(file, { cacheDir: freshFolder("cache") }));
    expect(stack).toBeUndefined();
    expect(value).toEqual({
      url: pathToFileURL(file).href,
      dirname: path.dirname(file),
      filename: file,
      old: [path.dirname(file), file],
      text: "note",
      required: [1],
      computed: [1],
      resolved: pathToFileURL(path.join(folder, name, "note.txt")).href,
      h: {
        url: pathToFileURL(path.join(folder, name, "lib", `${name}h.ts`)).href,
        dirname: path.join(folder, name, "lib"),
      },
      whole: "object",
      found: path.join(folder, name, "data.json"),
    });
  },
);

test("a file may have a star in its name", async () => {
  expect(
    await valueOf({ "a*b/st*ar.ts": "export default import.meta.filename.slice(-11);" }, "a*b/st*ar.ts"),
  ).toBe("b/st*ar.ts".padStart(11, "*"));
});

test("an author's own __dirname, require or module is the author's", async () => {
  const value = await valueOf(
    {
      "e.mjs":
        'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); const __dirname = "mine", module = 2; export default [__dirname, module, typeof require("node:fs").readFileSync];',
    },
    "e.mjs",
  );
  expect(value).toEqual(["mine", 2, "function"]);
});

test("helpers are new at every load", async () => {
  const folder = write({
    "reload-entry.ts":
      'import { VALUE } from "./reload-helper.mjs"; import { OTHER } from "./reload-helper2.js"; export default `${VALUE}/${OTHER}`;',
    "reload-helper.mjs": 'export const VALUE = "old";',
    "reload-helper2.js": 'export const OTHER = "old";',
  });
  const load = async () =>
    evaluate(await bundleExtension(path.join(folder, "reload-entry.ts"), { cacheDir: freshFolder("cache") }));
  expect(await load()).toEqual({ value: "old/old" });
  writeFileSync(path.join(folder, "reload-helper.mjs"), 'export const VALUE = "new";');
  writeFileSync(path.join(folder, "reload-helper2.js"), 'export const OTHER = "new";');
  expect(await load()).toEqual({ value: "new/new" });
  expect(await load()).toEqual({ value: "new/new" });
});

test("a bundle tells its exports and the real paths that are in it", async () => {
  const folder = write({
    "real.ts":
      'import { h } from "./h.ts"; import type { T } from "./types.ts"; export const a: T = h; export default {};',
    "h.ts": "export const h = 1;",
    "types.ts": "export type T = number;",
  });
  symlinkSync(path.join(folder, "real.ts"), path.join(folder, "link.ts"));
  const bundle = await bundleExtension(path.join(folder, "link.ts"), { cacheDir: freshFolder("cache") });
  expect(bundle).toMatchObject({
    sourcePath: path.join(folder, "link.ts"),
    format: "esm",
    exports: ["a", "default"],
    inputs: [path.join(folder, "h.ts"), path.join(folder, "real.ts")],
  });
});

test.each([
  ["nothing", "", { format: "esm", exports: [], hasCode: false }],
  ["types alone", "export type A = 1; interface B { a: A }", { format: "esm", exports: [], hasCode: false }],
  ["an effect alone", "globalThis.x = 1;", { format: "esm", exports: [], hasCode: true }],
  ["names only", "export function register(host) {}", { format: "esm", exports: ["register"] }],
  ["a function as default", "export default function () {}", { format: "esm", exports: ["default"] }],
  ["module.exports", "module.exports = {}", { format: "commonjs", exports: ["default"] }],
  ["exports.x", "exports.x = 1", { format: "commonjs", exports: ["default"] }],
])("a file with %s is told apart without running it", async (what, text, expected) => {
  const name = what === "types alone" ? "e.ts" : "e.js";
  expect(await bundleOf({ [name]: text }, name)).toMatchObject(expected);
});

test("an import for its effects stays, whatever a package.json above says", async () => {
  const value = await valueOf({
    "e.ts": 'import "./h"; export default globalThis.mark;',
    "h.ts": 'globalThis.mark = "ran";',
    "package.json": '{ "sideEffects": false }',
  });
  expect(value).toBe("ran");
});
