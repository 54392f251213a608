/** The pages about extensions show the examples as they are, and recipes that do what the page says. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { extensionFiles } from "../../src/cli/extension-template.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const examples = readdirSync(path.join(root, "examples/extensions")).filter(
  (name) => path.extname(name) !== "",
);
const howTo = (page: string): string => read(`docs/how-to/${page}.md`);
const fencesOf = (page: string): string[] =>
  [...howTo(page).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, source = ""]) => source);

test.each(["write-an-extension", "add-a-model-provider", "watch-a-session-with-hooks", "block-a-call"])(
  "%s shows examples, and no other code",
  (page) => {
    const known = examples.map((name) => read(`examples/extensions/${name}`));
    expect(fencesOf(page).length).toBeGreaterThan(0);
    expect(fencesOf(page).filter((source) => !known.includes(source))).toEqual([]);
  },
);

test("the page on writing extensions lists every example", () => {
  const page = howTo("write-an-extension");
  expect(examples.filter((name) => !page.includes(`(../../examples/extensions/${name})`))).toEqual([]);
});

test("the page on testing shows the test that a new extension has", () => {
  expect(fencesOf("test-an-extension")[0]).toBe(extensionFiles("my-notes", "1.0.0")["index.test.ts"]);
});

const recipes = [
  ...howTo("test-an-extension").matchAll(
    /\n([^\n]+):\n\n```ts\n((?:(?!```)[\s\S])*)^```\n+```text\n([\s\S]*?)^```$/gm,
  ),
].map(([, title = "", source = "", output = ""]) => ({ title, source, output }));

describe("the recipes of the page on testing", () => {
  test("are all of its other programs", () => {
    expect(recipes).toHaveLength(fencesOf("test-an-extension").length - 1);
  });

  test.each(recipes)("$title", async ({ source, output }) => {
    expect(await run(source)).toBe(output);
  });
});

/** What a recipe prints, beside the examples and with the built package installed. */
async function run(source: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "lemon-recipe-"));
  try {
    cpSync(path.join(root, "examples/extensions"), folder, { recursive: true });
    mkdirSync(path.join(folder, "node_modules"));
    symlinkSync(root, path.join(folder, "node_modules/lemon-runtime"), "dir");
    const { outputText } = ts.transpileModule(
      `import { testExtension } from "lemon-runtime/testing";\n${source}`,
      {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
      },
    );
    writeFileSync(path.join(folder, "recipe.mjs"), outputText);
    const { stdout } = await promisify(execFile)(process.execPath, ["recipe.mjs"], { cwd: folder });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
