/**
 * Builds dist once before the tests, when it is missing or older than a source: tests in test/e2e and test/crash
 * run the built command, those in test/examples the built package, and the threads of extensions and of the scanner can
 * load JavaScript only: tests that start one have `extensions` or `scan` in their path. Types are not looked at here;
 * `npm run types` does.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";

const root = path.resolve(import.meta.dirname, "..");
const inputs = ["package.json", "tsconfig.json", "scripts/build.mjs", "src"];

export async function setup(project: TestProject): Promise<void> {
  const { testFiles } = await project.globTestFiles(filtersOf(project));
  if (!testFiles.some((file) => /\/test\/((e2e|crash|examples)\/|.*extensions|.*scan)/.test(file))) return;
  if (newest(["dist"]) > newest(inputs)) return;
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs", "--no-check"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("The build failed, so the tests of the built command can't run.");
}

/** The names on the command line: `vitest run test/log` wants no build. */
function filtersOf({ vitest }: TestProject): string[] {
  const { filenamePattern } = vitest as { filenamePattern?: string[] };
  return filenamePattern ?? [];
}

/** Newest change under `names`, epoch milliseconds; 0 when there is none. A removed file changes its folder. */
function newest(names: readonly string[]): number {
  const times = names.flatMap((name) => {
    const stat = statSync(path.join(root, name), { throwIfNoEntry: false });
    if (stat === undefined) return [];
    if (!stat.isDirectory()) return [stat.mtimeMs];
    const children = readdirSync(path.join(root, name)).map((child) => path.join(name, child));
    return [name === "dist" ? 0 : stat.mtimeMs, newest(children)];
  });
  return Math.max(0, ...times);
}
