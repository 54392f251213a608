import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { pruneCache } from "../../src/extensions/bundle/cache.ts";
import { evaluate, freshFolder, write } from "./bundle-support.ts";

const day = 24 * 60 * 60 * 1000;

test("equal code is one file, used again; changed code is another", async () => {
  const folder = write({ "e.ts": "export default 1;" });
  const cacheDir = path.join(freshFolder("cache"), "made", "at", "need");
  const load = async () => bundleExtension(path.join(folder, "e.ts"), { cacheDir });
  const first = await load();
  const file = fileURLToPath(first.url);
  utimesSync(file, 1, 1);
  expect((await load()).url).toBe(first.url);
  expect(statSync(file).mtimeMs).toBeGreaterThan(1_600_000_000_000);
  writeFileSync(path.join(folder, "e.ts"), "export default 2;");
  expect((await load()).url).not.toBe(first.url);
  expect(readdirSync(cacheDir)).toHaveLength(2);
});

test("an entry that was spoilt is written anew", async () => {
  const folder = write({ "e.ts": "export default 1;" });
  const cacheDir = freshFolder("cache");
  const first = await bundleExtension(path.join(folder, "e.ts"), { cacheDir });
  const code = readFileSync(new URL(first.url), "utf8");
  writeFileSync(new URL(first.url), code.slice(0, 20));
  await bundleExtension(path.join(folder, "e.ts"), { cacheDir });
  expect(readFileSync(new URL(first.url), "utf8")).toBe(code);
});

test("twenty loads at once into one folder leave one whole file", async () => {
  const folder = write({ "e.ts": "export default 1;" });
  const cacheDir = freshFolder("cache");
  const bundles = await Promise.all(
    Array.from({ length: 20 }, async () => bundleExtension(path.join(folder, "e.ts"), { cacheDir })),
  );
  expect(new Set(bundles.map(({ url }) => url)).size).toBe(1);
  expect(readdirSync(cacheDir)).toHaveLength(1);
});

test("where the cache can't be written a private folder takes its place", async () => {
  const folder = write({ "e.ts": "export default 1;", blocked: "" });
  const load = async () =>
    bundleExtension(path.join(folder, "e.ts"), { cacheDir: path.join(folder, "blocked/cache") });
  const bundle = await load();
  const file = fileURLToPath(bundle.url);
  expect(path.dirname(path.dirname(file))).toBe(tmpdir());
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(await evaluate(bundle)).toEqual({ value: 1 });
  rmSync(path.dirname(file), { recursive: true });
  expect(await evaluate(await load())).toEqual({ value: 1 });
});

test("what is older than 30 days, or beyond the newest 200, goes; other files stay", async () => {
  const cases = fc.asyncProperty(
    fc.array(fc.nat(60), { maxLength: 230, size: "max" }),
    fc.nat(3),
    async (ages, others) => {
      const now = 1_700_000_000_000;
      const cacheDir = freshFolder("cache");
      const files = ages.map((age, index) => {
        const file = path.join(
          cacheDir,
          `${index.toString(16).padStart(64, "0")}.${index % 7 === 0 ? "0123456789ab.tmp" : "mjs"}`,
        );
        writeFileSync(file, "");
        utimesSync(file, (now - age * day) / 1000, (now - age * day) / 1000);
        return { name: path.basename(file), age };
      });
      for (let other = 0; other < others; other += 1) {
        const file = path.join(cacheDir, `note${other}.txt`);
        writeFileSync(file, "");
        utimesSync(file, 1, 1);
      }
      await pruneCache(cacheDir, now);
      const left = readdirSync(cacheDir);
      expect(left.filter((name) => name.startsWith("note"))).toHaveLength(others);
      const kept = files.filter(({ name }) => left.includes(name));
      const young = files.filter(({ age }) => age <= 30);
      expect(kept).toHaveLength(Math.min(200, young.length));
      expect(kept.every(({ age }) => age <= 30)).toBe(true);
      const oldest = Math.max(0, ...kept.map(({ age }) => age));
      expect(young.filter((file) => !kept.includes(file)).every(({ age }) => age >= oldest)).toBe(true);
    },
  );
  await fc.assert(cases, { numRuns: 12 });
});

test("a folder that is not there has nothing to remove", async () => {
  await expect(pruneCache("/nowhere/at/all", 0)).resolves.toBeUndefined();
});
