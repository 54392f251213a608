import { mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isTrusted, projectFile, revokeTrust, trustProject } from "../../src/config/index.ts";

let root: string;
let home: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-trust-")));
  home = path.join(root, "home");
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function project(name: string, text: string): Promise<string> {
  const dir = path.join(root, name);
  await mkdir(path.join(dir, ".lemon"), { recursive: true });
  await writeFile(projectFile(dir), text);
  return dir;
}

test("trust is given to a folder and the present text of its file, and can be taken back", async () => {
  const dir = await project("a", "one");
  expect(await isTrusted(home, dir)).toBe(false);
  expect(await trustProject(home, dir)).toMatchObject({ path: dir });
  expect(await isTrusted(home, dir)).toBe(true);
  await writeFile(projectFile(dir), "two");
  expect(await isTrusted(home, dir)).toBe(false);
  await writeFile(projectFile(dir), "one");
  expect(await revokeTrust(home, dir)).toBe(true);
  expect(await isTrusted(home, dir)).toBe(false);
  expect(await revokeTrust(home, dir)).toBe(false);
});

test("another folder with the same file is not trusted, not even if its file is a link to the trusted one", async () => {
  const trusted = await project("a", "same");
  await trustProject(home, trusted);
  expect(await isTrusted(home, await project("b", "same"))).toBe(false);
  const linked = path.join(root, "c");
  await mkdir(path.join(linked, ".lemon"), { recursive: true });
  await symlink(projectFile(trusted), projectFile(linked));
  expect(await isTrusted(home, linked)).toBe(false);
});

test("a link to a trusted folder is that folder", async () => {
  await trustProject(home, await project("a", "text"));
  await symlink(path.join(root, "a"), path.join(root, "link"));
  expect(await isTrusted(home, path.join(root, "link"))).toBe(true);
});

test("a folder with neither a project file nor extensions has nothing to trust", async () => {
  await mkdir(path.join(root, "bare"));
  await expect(trustProject(home, path.join(root, "bare"))).rejects.toMatchObject({
    code: "LEMON_NOT_FOUND",
  });
});

test("a folder of extensions without a project file can be trusted; a file that appears asks again", async () => {
  const dir = path.join(root, "bare");
  await mkdir(path.join(dir, ".lemon/extensions"), { recursive: true });
  expect(await isTrusted(home, dir)).toBe(false);
  await trustProject(home, dir);
  expect(await isTrusted(home, dir)).toBe(true);
  await writeFile(projectFile(dir), "[runtime]\n");
  expect(await isTrusted(home, dir)).toBe(false);
  await rm(projectFile(dir));
  expect(await isTrusted(home, dir)).toBe(true);
  await mkdir(projectFile(dir));
  expect(await isTrusted(home, dir)).toBe(false);
});

test("a folder that is gone can still be revoked", async () => {
  const dir = await project("a", "text");
  await trustProject(home, dir);
  await rm(dir, { recursive: true });
  expect(await revokeTrust(home, dir)).toBe(true);
});

test("records are the user's alone, and a damaged one is no trust", async () => {
  const dir = await project("a", "text");
  await trustProject(home, dir);
  const [name = ""] = await readdir(path.join(home, "trust"));
  const file = path.join(home, "trust", name);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  await writeFile(file, "{");
  expect(await isTrusted(home, dir)).toBe(false);
});
