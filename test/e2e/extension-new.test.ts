import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { discover } from "../../src/extensions/discovery/index.ts";
import { Place } from "./support/command.ts";

test("a new extension has a manifest that validates, one file that is found, and a tool that works", async () => {
  const place = await Place.make();
  const { status, stdout, stderr } = await place.lemon("extension", "new", "git-guard");
  const folder = path.join(place.cwd, "git-guard");
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${folder}\n` });
  expect(stderr).toMatch(/^Next:\n {2}cd .*git-guard\n {2}npm install --save-dev CLONE .*\n {2}npm test\n/);
  expect((await readdir(folder)).toSorted()).toEqual([
    "README.md",
    "index.test.ts",
    "index.ts",
    "lemon_extension.json",
    "package.json",
    "tsconfig.json",
  ]);
  expect((await place.lemon("extension", "validate", "git-guard")).status).toBe(0);
  const root = { path: place.cwd, origin: "configured", exists: true } as const;
  const { files, loadErrors } = await discover([root]);
  expect(files.map(({ module }) => module)).toEqual(["git-guard/index"]);
  expect(loadErrors).toEqual([]);

  const script = await place.script([
    { toolCalls: [{ name: "git_guard_greet", args: { name: "Ada" } }] },
    { text: "Done." },
  ]);
  const run = await place.lemon("run", "--script", script, "--extension", "git-guard", "--json", "Greet Ada");
  expect(run.status).toBe(0);
  expect(run.stdout).toContain("Hello, Ada!");
});

test("its own test passes", async () => {
  const place = await Place.make();
  await place.lemon("extension", "new", "git-guard");
  const folder = path.join(place.cwd, "git-guard");
  const root = path.resolve(import.meta.dirname, "../..");
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules/lemon-runtime"));
  await symlink(path.join(root, "node_modules/vitest"), path.join(folder, "node_modules/vitest"));
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const { stdout } = await promisify(execFile)(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], {
    cwd: folder,
    env: { ...Object.fromEntries(own), NO_COLOR: "1" },
  });
  expect(stdout).toMatch(/Tests +1 passed/);
});

test("it can be written elsewhere, and told as a document", async () => {
  const place = await Place.make();
  const { status, lines } = await place.json("extension", "new", "a1", "deep/down");
  expect({ status, path: lines[0]?.["path"] as unknown }).toEqual({
    status: 0,
    path: path.join(place.cwd, "deep/down"),
  });
  expect(lines[0]?.["files"]).toContain("index.ts");
  const manifest = await readFile(path.join(place.cwd, "deep/down/lemon_extension.json"), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ name: "a1" });
});

test("a folder that is there, and a name that can't be one, are refused and nothing is written", async () => {
  const place = await Place.make();
  await mkdir(path.join(place.cwd, "taken"));
  const taken = await place.lemon("extension", "new", "taken");
  expect(taken).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("is there already") });
  for (const name of ["My", "a_b", "1a", "a--b", "a-", "../x", "ü", "a".repeat(41), ""]) {
    const { status, stderr } = await place.lemon("extension", "new", name);
    expect({ name, status, stderr }).toEqual({
      name,
      status: 2,
      stderr: expect.stringContaining("can't name an extension"),
    });
  }
  expect(await readdir(place.cwd)).toEqual(["taken"]);
});
