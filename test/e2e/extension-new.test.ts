import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { discover } from "../../src/extensions/discovery/index.ts";
import { Place } from "./support/command.ts";

/** In a process of its own, as an author's test would have it. */
const callIt = `
  import extension from "./built.mjs";
  const [tool] = extension.tools();
  const result = await tool.execute("call", { name: "Ada" });
  console.log(JSON.stringify([extension.name, tool.name, result]));
`;

test("a new extension has a manifest that validates, one file that is found, and a tool that works", async () => {
  const place = await Place.make();
  const { status, stdout, stderr } = await place.lemon("extension", "new", "git-guard");
  const folder = path.join(place.cwd, "git-guard");
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${folder}\n` });
  expect(stderr).toMatch(/^Next:\n {2}cd .*git-guard\n {2}npm install\n {2}npm test\n/);
  expect((await readdir(folder)).toSorted()).toEqual([
    "README.md",
    "index.test.ts",
    "index.ts",
    "lemon_extension.json",
    "package.json",
  ]);
  expect((await place.lemon("extension", "validate", "git-guard")).status).toBe(0);
  const root = { path: place.cwd, origin: "configured", exists: true } as const;
  const { files, loadErrors } = await discover([root]);
  expect(files.map(({ module }) => module)).toEqual(["git-guard/index"]);
  expect(loadErrors).toEqual([]);

  await mkdir(path.join(folder, "node_modules"));
  await symlink(path.resolve(import.meta.dirname, "../.."), path.join(folder, "node_modules/lemon-runtime"));
  const { code } = await transform(await readFile(path.join(folder, "index.ts"), "utf8"), { loader: "ts" });
  await writeFile(path.join(folder, "built.mjs"), code);
  const args = ["--input-type=module", "--eval", callIt];
  const { stdout: called } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  const result = { content: [{ type: "text", text: "Hello, Ada!" }] };
  expect(JSON.parse(called)).toEqual(["git-guard", "git_guard_greet", result]);
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
