/** What `lemon extension new` writes, tested as its author would: vitest in its folder, with the built package linked. */
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** The folder of a new extension, with what `npm install` would put there. */
async function installed(): Promise<string> {
  const place = await Place.make();
  expect((await place.lemon("extension", "new", "git-guard")).status).toBe(0);
  const folder = path.join(place.cwd, "git-guard");
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules/lemon-runtime"));
  for (const name of ["vitest", "@types"])
    await symlink(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  return folder;
}

test("the test of a new extension passes", async () => {
  const folder = await installed();
  const {
    VITEST: _vitest,
    VITEST_MODE: _mode,
    VITEST_POOL_ID: _pool,
    VITEST_WORKER_ID: _worker,
    ...env
  } = process.env;
  const args = [path.join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 1, numTotalTests: 1 });
});

test("the types of a new extension are right, its test's too", async () => {
  const folder = await installed();
  const args = [path.join(root, "node_modules/typescript/bin/tsc"), "--listFiles"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stdout).toContain(path.join(folder, "index.test.ts"));
});
