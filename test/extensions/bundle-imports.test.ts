import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { bundleOf, evaluate, freshFolder, valueOf, write } from "./bundle-support.ts";

const packages = {
  "node_modules/esm-only/package.json":
    '{ "name": "esm-only", "type": "module", "exports": { "import": "./i.js", "require": "./r.cjs" } }',
  "node_modules/esm-only/i.js": 'export default "imported"; export const url = import.meta.url;',
  "node_modules/esm-only/r.cjs": 'module.exports = "required";',
  "node_modules/old/package.json": '{ "name": "old", "main": "main.js", "module": "module.js" }',
  "node_modules/old/main.js": 'module.exports = { chunk: 1, from: "main" };',
  "node_modules/old/module.js": 'export const from = "module";',
};

test("a package is resolved from the file that holds the import, as Node would, and not bundled", async () => {
  const files = {
    ...packages,
    "e.ts":
      'import e, { url } from "esm-only"; import old from "old"; import h from "./h"; export default { e, r: require("esm-only"), old, h, url };',
    "h.ts": 'import e from "esm-only"; export default e;',
  };
  const bundle = await bundleOf(files);
  const { value } = await evaluate(bundle);
  expect(value).toMatchObject({ e: "imported", r: "required", old: { from: "main" }, h: "imported" });
  expect(bundle.inputs.map((file) => path.basename(file))).toEqual(["e.ts", "h.ts"]);
});

test("a helper in another folder has the packages of that folder", async () => {
  const folder = write({
    "a/e.ts": 'import h from "../b/h"; import p from "p"; export default [p, h];',
    "a/node_modules/p/index.js": 'module.exports = "a";',
    "b/h.ts": 'import p from "p"; export default p;',
    "b/node_modules/p/index.js": 'module.exports = "b";',
  });
  const bundle = await bundleExtension(path.join(folder, "a/e.ts"), { cacheDir: freshFolder("cache") });
  expect(await evaluate(bundle)).toEqual({ value: ["a", "b"] });
});

test("a linked package of one's own is local code; a linked file is bundled from where it is", async () => {
  const folder = write({
    "mine/package.json": '{ "name": "mine", "main": "index.ts" }',
    "mine/index.ts": "export const n: number = 1;",
    "ext/e.ts": 'import { n } from "mine"; export default n;',
    "ext/node_modules/x/index.js": "",
  });
  symlinkSync(path.join(folder, "mine"), path.join(folder, "ext/node_modules/mine"));
  const bundle = await bundleExtension(path.join(folder, "ext/e.ts"), { cacheDir: freshFolder("cache") });
  expect(await evaluate(bundle)).toEqual({ value: 1 });
  expect(bundle.inputs).toEqual([path.join(folder, "ext/e.ts"), path.join(folder, "mine/index.ts")]);
});

test("a native package works", async () => {
  const value = await valueOf({
    "e.ts": `import Database from ${JSON.stringify(path.resolve("node_modules/better-sqlite3/lib/index.js"))}; export default new Database(":memory:").prepare("select 1 as n").get();`,
  });
  expect(value).toEqual({ n: 1 });
});

test("`lemon-runtime` is the running package, whatever the folder holds", async () => {
  const value = await valueOf({
    "e.ts":
      'import { defineTool, z, Session } from "lemon-runtime"; import { z as other } from "zod"; export default { same: z === other, tool: typeof defineTool, is: ({}) instanceof Session };',
    "node_modules/lemon-runtime/package.json": '{ "name": "lemon-runtime", "main": "x.js" }',
    "node_modules/lemon-runtime/x.js": 'throw new Error("another runtime");',
  });
  expect(value).toEqual({ same: true, tool: "function", is: false });
});

test("a file that does not say `z` does not load zod", async () => {
  const text = async (code: string) => {
    const bundle = await bundleOf({ "e.ts": code });
    return (await import("node:fs")).readFileSync(new URL(bundle.url), "utf8");
  };
  expect(await text('import { defineTool } from "lemon-runtime"; export default defineTool;')).toContain(
    "author/without-z.js",
  );
  expect(await text('import { z } from "lemon-runtime"; export default z;')).toContain("author/index.js");
  expect(await text('import * as all from "lemon-runtime"; export default all;')).toContain(
    "author/index.js",
  );
  expect(await text('export * from "lemon-runtime";')).toContain("author/index.js");
  expect(await text('export default (await import("lemon-runtime"))["Z".toLowerCase()];')).toContain(
    "author/index.js",
  );
});

test("other names of the public face refuse, and a subpath is the built one", async () => {
  const value = await valueOf({
    "e.ts": `import { createRuntime, Session } from "lemon-runtime"; import * as events from "lemon-runtime/events";
      const said = (run: () => unknown) => { try { run(); } catch (error) { return error.message; } };
      export default [said(() => createRuntime()), said(() => new Session()), Object.keys(events).length > 3];`,
  });
  expect(value).toEqual([
    "createRuntime is not available inside an extension",
    "Session is not available inside an extension",
    true,
  ]);
});

test("zod comes from the runtime only where the author has none", async () => {
  const own = {
    "node_modules/zod/package.json": '{ "main": "i.js" }',
    "node_modules/zod/i.js": 'exports.z = "own";',
  };
  expect(await valueOf({ ...own, "e.ts": 'import { z } from "zod"; export default z;' })).toBe("own");
  expect(
    await valueOf({
      "e.ts":
        'import { z } from "zod/v4"; import * as m from "zod/mini"; export default [typeof z.object, typeof m.object];',
    }),
  ).toEqual(["function", "function"]);
});

test("an optional import that is not there fails when it runs, with Node's code", async () => {
  const value = await valueOf({
    "e.ts": `
      const codes: unknown[] = [];
      try { require("nope-a"); } catch (error) { codes.push(error.code); }
      try { await import("nope-b"); } catch (error) { codes.push(error.code); }
      await import("./nope-c.ts").catch((error) => codes.push(error.code));
      export default codes;`,
  });
  expect(value).toEqual(["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"]);
});

test("built-in modules are Node's, with and without their prefix", async () => {
  const value = await valueOf(
    {
      "e.js":
        'const a = require("fs"), b = require("node:fs/promises"); module.exports = [typeof a.readFileSync, typeof b.readFile];',
      "node_modules/fs/index.js": "throw 1;",
    },
    "e.js",
  );
  expect(value).toEqual(["function", "function"]);
});

test("a literal import is bundled; a computed one is found from the author's file when it runs", async () => {
  const value = await valueOf({
    "e.ts": `
      const n: string = "x"; class Generic<T> { v?: T; } void Generic;
      type Later = import("./types.ts").Later; const later: Later = 1;
      import helper from "./lib/helper.ts";
      export default {
        literal: (await import("./lib/x.ts")).default,
        glob: (await import(\`./lib/\${n}.ts\`)).default,
        joined: await import("./lib/" + n + ".ts").then((m) => m.default),
        bare: (await import(["esm", "only"].join("-"))).default,
        zod: typeof (await import("zo" + "d")).z.object,
        plain: (await import("./lib/" + "plain" + ".js")).default,
        json: (await import("./j" + ".json", { with: { type: "json" } })).default,
        node: typeof (await import("f" + "s")).readFileSync,
        runtime: typeof (await import("lemon-" + "runtime")).defineTool,
        gone: await import("./go" + "ne.ts").catch((error) => error.code),
        goneBare: await import("go" + "ne").catch((error) => error.code),
        notOurs: await import("aj" + "v").catch((error) => error.code),
        bad: await import("./lib/" + "bad.ts").catch((error) => error.message),
        helper, later,
      };`,
    "types.ts": "export type Later = number;",
    "lib/x.ts": 'const e: string = "x of lib"; export default e;',
    "lib/helper.ts": 'const n = "x"; export default (await import(`./${n}`)).default;',
    "lib/plain.js": 'module.exports = "plain";',
    "lib/bad.ts": "let x = ;",
    "j.json": "[1]",
    ...packages,
  });
  expect(value).toEqual({
    literal: "x of lib",
    glob: "x of lib",
    joined: "x of lib",
    bare: "imported",
    zod: "function",
    plain: "plain",
    json: [1],
    node: "function",
    runtime: "function",
    gone: "ERR_MODULE_NOT_FOUND",
    goneBare: "ERR_MODULE_NOT_FOUND",
    notOurs: "ERR_MODULE_NOT_FOUND",
    bad: expect.stringContaining('Syntax error at line 1: Unexpected ";"') as string,
    helper: "x of lib",
    later: 1,
  });
});
