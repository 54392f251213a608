/** Why an extension file does not load, in the words that users see. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ExtensionLoadError, type LoadError } from "../../src/extensions/port.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { testWorld, threadCount } from "./worker-support.ts";

async function errorOf(load: Promise<unknown>): Promise<LoadError> {
  const error = await load.then(
    () => new Error("it loaded"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ExtensionLoadError)) throw error;
  return error.loadError;
}

describe("a load error says", () => {
  it.each([
    ["the first line of a thrown error", "throw new Error('first\\nsecond')", "first"],
    ["a thrown text", "throw 'just text'", "just text"],
    ["a thrown null", "throw null", "null"],
    [
      "what can be read of an object whose getters throw",
      "throw { get message() { throw 1 }, toString() { throw 2 } }",
      "what was thrown can't be shown",
    ],
    ["the code of an exit", "process.exit(9)", "Extension exited while loading (code 9)"],
    [
      "the type of a default export that is no object",
      "export default () => 1",
      "Extension file must export default defineExtension({ name, version, … }); found: function",
    ],
    [
      "a missing export of a package",
      "import { nothing } from 'node:path'; export default {}",
      /does not provide an export named 'nothing'/,
    ],
    ["a missing package", "import 'no-such-package-anywhere'; export default {}", /Cannot find package/],
    [
      "an error that nobody caught",
      "Promise.reject(new Error('stray')); await new Promise(() => {})",
      "stray",
    ],
  ])("%s", async (_name, source, message) => {
    await using t = await testWorld();
    const error = await errorOf(t.load(source));
    expect(error.sourcePath).toBe(path.join(t.folder, "sample.mjs"));
    if (typeof message === "string") expect(error.errorMessage).toBe(message);
    else expect(error.errorMessage).toMatch(message);
    expect(JSON.parse(JSON.stringify(error))).toEqual(error);
  });

  it("where the error was thrown", async () => {
    await using t = await testWorld();
    const error = await errorOf(t.load("\n\n  throw new TypeError('third line')"));
    expect(error.error).toMatchObject({ name: "TypeError", message: "third line", line: 3, column: 9 });
    expect(error.error.file).toBeUndefined();
  });

  it.each([
    ["a top-level await without end", "await new Promise(() => {})"],
    ["an endless loop", "for (;;);"],
  ])("that %s took too long, and its thread goes", async (_name, source) => {
    const clock = new ManualClock();
    await using t = await testWorld({ clock });
    const before = threadCount();
    const file = path.join(t.folder, "started");
    const mark = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, 'x');`;
    writeFileSync(file, "");
    const load = errorOf(t.load(`${mark} ${source}`));
    await t.until(() => clock.pending > 0);
    clock.advance(9999);
    expect(t.world.zombies()).toEqual([]);
    clock.advance(1);
    expect((await load).errorMessage).toBe("Extension did not load within 10000 ms");
    await t.until(() => t.world.zombies().length === 0);
    await t.until(() => threadCount() <= before);
  });
});

it("an extension that fails stops nobody else", async () => {
  await using t = await testWorld();
  const good = "export default { name: 'good', version: '1.0.0' }";
  const loads = await Promise.allSettled([
    t.load("throw new Error('no')", "a"),
    t.load(good, "b"),
    t.load("process.exit(1)", "c"),
    t.load(good, "d"),
  ]);
  expect(loads.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
});
