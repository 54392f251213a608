/** The door through which tools change files. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { FileChanges, imageOf, type FileImage } from "../../src/workspace/index.ts";

let cwd: string;
let file: string;
const abort = new AbortController();

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "lemon-changes-")));
  file = path.join(cwd, "a");
  writeFileSync(file, "old");
});

function changes(kept: () => void = () => undefined, signal = abort.signal): FileChanges {
  return new FileChanges({
    cwd,
    writer: "call_1",
    signal,
    keep: async (paths) => {
      const images = new Map<string, FileImage | null>();
      for (const each of paths) images.set(each, await imageOf(each));
      kept();
      return images;
    },
    begin: () => () => undefined,
  });
}

test.each<[string, () => void]>([
  ["is written", () => writeFileSync(file, "theirs")],
  ["gets another mode", () => chmodSync(file, 0o600)],
  ["is removed", () => rmSync(file)],
  [
    "becomes a link",
    () => {
      writeFileSync(path.join(cwd, "b"), "old");
      rmSync(file);
      symlinkSync("b", file);
    },
  ],
  [
    "becomes a folder",
    () => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    "lies in a folder that becomes a link",
    () => {
      renameSync(cwd, `${cwd}-real`);
      symlinkSync(`${cwd}-real`, cwd);
    },
  ],
])("a file that %s after it was kept is not written", async (_what, meddle) => {
  const made = changes(meddle);
  await made.guard([{ path: file }]);
  await expect(made.replace(file, Buffer.from("ours"))).rejects.toMatchObject({
    code: "LEMON_FILE_CHANGED",
    message: expect.stringContaining("(file_changed)"),
  });
  expect(made.noted().files).toEqual([]);
});

test("nor is one that is not what the change was worked out from", async () => {
  const made = changes();
  await expect(made.guard([{ path: file, bytes: Buffer.from("older") }])).rejects.toMatchObject({
    code: "LEMON_FILE_CHANGED",
  });
  await expect(made.guard([{ path: path.join(cwd, "none"), bytes: Buffer.from("x") }])).rejects.toThrow();
});

test("nothing is written once the call is told to stop, also while it waits in line", async () => {
  const stop = new AbortController();
  const made = changes(() => stop.abort(), stop.signal);
  await expect(made.guard([{ path: file }])).rejects.toThrow();
  await expect(made.replace(file, Buffer.from("ours"))).rejects.toThrow();
  expect(readFileSync(file, "utf8")).toBe("old");
  let ran = false;
  await expect(made.inOrder([file], async () => void (ran = true))).rejects.toThrow();
  expect(ran).toBe(false);
});

test("what was changed and changed back is no change", async () => {
  const made = changes();
  await made.guard([{ path: file }]);
  await made.replace(file, Buffer.from("new"));
  await made.setMode(file, 0o600);
  expect(made.noted().files).toMatchObject([{ path: file, after: { mode: 0o600 } }]);
  await made.replace(file, Buffer.from("old"));
  await made.setMode(file, made.noted().files[0]?.before?.mode ?? 0);
  expect(made.noted()).toEqual({ affected: [file], files: [], createdDirs: [] });
});

test("an unguarded file can't be changed at all", async () => {
  await expect(changes().replace(file, Buffer.from("x"))).rejects.toThrow("only once it is guarded");
});
