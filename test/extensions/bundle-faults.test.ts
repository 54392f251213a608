import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { bundleOf, freshFolder, loadErrorOf, write } from "./bundle-support.ts";

const brokenSyntax = 'export default {\n  name: "broken",\n  version: "1.0.0"\n  tools() { return [ }\n';

test("a mistake in the file has its line and column", async () => {
  const { error, errorMessage, sourcePath } = await loadErrorOf(
    { "broken-syntax.ts": brokenSyntax },
    "broken-syntax.ts",
  );
  expect(errorMessage).toBe('Syntax error at line 4: Expected "}" but found "tools"');
  expect(error).toEqual({
    name: "SyntaxError",
    message: 'Expected "}" but found "tools"',
    line: 4,
    column: 3,
  });
  expect(sourcePath).toMatch(/broken-syntax\.ts$/);
});

test("on the first line the column is the author's, in characters", async () => {
  const { error } = await loadErrorOf({ "e.ts": 'export default { name: "ü😀" = }' });
  expect(error).toMatchObject({ line: 1, column: 'export default { name: "ü😀" = }'.length });
});

test("a byte order mark and a shebang move nothing", async () => {
  const { error } = await loadErrorOf({ "e.ts": "\u{FEFF}#!/usr/bin/env node\nlet x = ;" });
  expect(error).toMatchObject({ name: "SyntaxError", line: 2, column: 9 });
});

test("a mistake in a helper names the helper", async () => {
  const { error, errorMessage, sourcePath } = await loadErrorOf({
    "e.ts": 'import "./lib/h";\nexport default {}',
    "lib/h.ts": "\nlet x = ;",
  });
  expect(errorMessage).toBe('Syntax error in lib/h.ts at line 2: Unexpected ";"');
  expect(error).toMatchObject({ file: path.join(path.dirname(sourcePath), "lib/h.ts"), line: 2, column: 9 });
});

test("a mistake in JSON is one in syntax too", async () => {
  const { errorMessage } = await loadErrorOf({
    "e.ts": 'import j from "./j.json"; export default j',
    "j.json": "{ bad",
  });
  expect(errorMessage).toMatch(/^Syntax error in j\.json at line 1: /);
});

test.each([
  ["a package", 'import "left-pad-no";', "left-pad-no"],
  ["a file", 'import "./nope";', "./nope"],
  ["a subpath of the runtime", 'import "lemon-runtime/nope";', "lemon-runtime/nope"],
  ["a package by require", 'const x = require("left-pad-no");', "left-pad-no"],
  ["a foreign address of a file", 'import "file://elsewhere/x.ts";', "file://elsewhere/x.ts"],
])("%s that is not there is a compile error", async (_what, text, specifier) => {
  const { error, errorMessage } = await loadErrorOf({ "e.ts": `\n${text} export default {}` });
  expect(errorMessage).toBe(`Compile error: Could not resolve "${specifier}" (line 2)`);
  expect(error).toMatchObject({ name: "CompileError", code: "ERR_MODULE_NOT_FOUND", line: 2 });
});

test("a missing import of a helper names the helper", async () => {
  const { errorMessage } = await loadErrorOf({
    "e.ts": 'import "./lib/h"; export default {}',
    "lib/h.ts": 'import "./nope"',
  });
  expect(errorMessage).toBe('Compile error: Could not resolve "./nope" (lib/h.ts, line 1)');
});

test("an export that a local file does not have is a compile error", async () => {
  const { errorMessage } = await loadErrorOf({
    "e.ts": 'import { q } from "./h"; export default { q }',
    "h.ts": "export const a = 1",
  });
  expect(errorMessage).toBe('Compile error: No matching export in "h.ts" for import "q" (line 1)');
});

test("a file of an unknown kind is a compile error, a style sheet is nothing", async () => {
  const { errorMessage } = await loadErrorOf({
    "e.ts": 'import j from "./j.foo"; export default j',
    "j.foo": "",
  });
  expect(errorMessage).toBe('Compile error: No loader is configured for ".foo" files: j.foo (line 1)');
  const bundle = await bundleOf({ "e.ts": 'import "./x.css"; export default {}', "x.css": "a {}" });
  expect(bundle.exports).toEqual(["default"]);
});

test("a broken tsconfig.json is a compile error that names it", async () => {
  const { errorMessage } = await loadErrorOf({ "e.ts": "export default {}", "tsconfig.json": "{ bad" });
  expect(errorMessage).toMatch(/^Compile error: .* \(tsconfig\.json, line 1\)$/);
});

test("a tsconfig.json that extends one that is gone loads", async () => {
  const bundle = await bundleOf({
    "e.ts": "export default {}",
    "tsconfig.json": '{ "extends": "./gone.json" }',
  });
  expect(bundle.exports).toEqual(["default"]);
});

test("CommonJS under a project of ES modules says why it can't be", async () => {
  const { errorMessage } = await loadErrorOf(
    { "e.js": 'module.exports = { name: "c" }', "package.json": '{ "type": "module" }' },
    "e.js",
  );
  expect(errorMessage).toMatch(
    /^Compile error: module is not defined: the "type": "module" of a package\.json/,
  );
});

test.each([
  ["nothing", (folder: string) => path.join(folder, "gone.ts")],
  ["a folder that is gone", (folder: string) => path.join(folder, "gone", "x.ts")],
  ["a path through a file", (folder: string) => path.join(write({ f: "" }, folder), "f", "x.ts")],
  [
    "a link that leads nowhere",
    (folder: string) => {
      symlinkSync("/nowhere/at/all.ts", path.join(folder, "l.ts"));
      return path.join(folder, "l.ts");
    },
  ],
])("%s is a file that is not found", async (_what, make) => {
  const sourcePath = make(freshFolder());
  await expect(bundleExtension(sourcePath, { cacheDir: freshFolder("cache") })).rejects.toMatchObject({
    name: "ExtensionLoadError",
    loadError: {
      sourcePath,
      error: { name: "Error", message: "Extension file not found", code: "ENOENT" },
      errorMessage: "Extension file not found",
    },
  });
});

test("what can't be read, or is a folder, is a compile error", async () => {
  const folder = write({ "e.ts": "export default {}" });
  mkdirSync(path.join(folder, "d.ts"));
  const cacheDir = freshFolder("cache");
  await expect(bundleExtension(path.join(folder, "d.ts"), { cacheDir })).rejects.toMatchObject({
    message: expect.stringMatching(/^Compile error: /) as string,
  });
  // Root reads everything.
  if (process.getuid?.() === 0) return;
  chmodSync(path.join(folder, "e.ts"), 0);
  await expect(bundleExtension(path.join(folder, "e.ts"), { cacheDir })).rejects.toMatchObject({
    message: expect.stringMatching(/^Compile error: /) as string,
  });
});

test("a load error is plain JSON", async () => {
  const found = await loadErrorOf({ "e.ts": brokenSyntax });
  expect(JSON.parse(JSON.stringify(found))).toEqual(found);
});
