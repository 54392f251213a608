import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { captureFiles, type CheckpointFile } from "../../src/workspace/index.ts";
import { systemFiles, type FileCalls } from "../../src/workspace/snapshot/file-calls.ts";

let cwd: string;
let blobs: Map<string, Buffer>;

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-capture-")));
  blobs = new Map();
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const putBlob = (bytes: Uint8Array): Promise<string> => {
  blobs.set(sha(bytes), Buffer.from(bytes));
  return Promise.resolve(sha(bytes));
};
const capture = (paths: readonly string[], files?: FileCalls): Promise<CheckpointFile[]> =>
  captureFiles(paths, { cwd, putBlob, ...(files === undefined ? {} : { files }) });
const at = (name: string): string => path.join(cwd, name);

test("a file is kept byte for byte with its mode, a missing one as missing, each once and in order", async () => {
  const bytes = Buffer.from([0, 255, 10, 13, 200]);
  await writeFile(at("new\nline.bin"), bytes);
  await chmod(at("new\nline.bin"), 0o4751);
  const kept = await capture(["gone/deep.txt", "new\nline.bin", `${cwd}/./new\nline.bin`]);
  expect(kept).toEqual([
    {
      path: at("gone/deep.txt"),
      exists: false,
      type: null,
      size: null,
      mode: null,
      sha256: null,
      outsideCwd: false,
    },
    {
      path: at("new\nline.bin"),
      exists: true,
      type: "regular",
      size: 5,
      mode: 0o4751,
      sha256: sha(bytes),
      outsideCwd: false,
    },
  ]);
  expect(blobs.get(sha(bytes))).toEqual(bytes);
});

test("a path outside of the working directory is kept and says so", async () => {
  const [kept] = await capture(["../nowhere-at-all.txt"]);
  expect(kept).toMatchObject({ path: path.resolve(cwd, "../nowhere-at-all.txt"), outsideCwd: true });
});

test("a working directory that is reached by a link gives the same names as the real one", async () => {
  await mkdir(at("real"));
  await symlink("real", at("link"));
  await writeFile(at("real/a.txt"), "a");
  const kept = await captureFiles(["a.txt", at("real/a.txt")], { cwd: at("link"), putBlob });
  expect(kept.map(({ path: name, outsideCwd }) => [name, outsideCwd])).toEqual([[at("real/a.txt"), false]]);
});

test.each([
  ["a link", "unsupported_file_type", (name: string) => symlink("elsewhere", name)],
  ["a folder", "unsupported_file_type", (name: string) => mkdir(name)],
  [
    "a pipe",
    "unsupported_file_type",
    (name: string) => Promise.resolve(execFileSync("mkfifo", [name])).then(() => undefined),
  ],
  [
    "a file of more than 10 MiB",
    "file_too_large",
    async (name: string) => {
      await writeFile(name, "");
      await truncate(name, 10 * 1024 * 1024 + 1);
    },
  ],
])("%s is refused as %s, and nothing is kept of the others", async (_what, reason, make) => {
  await writeFile(at("good.txt"), "good");
  await make(at("bad"));
  await expect(capture(["good.txt", "bad"])).rejects.toMatchObject({ reason, path: at("bad") });
  expect(blobs.size).toBe(0);
});

test("a file of exactly 10 MiB is kept", async () => {
  await writeFile(at("big"), "");
  await truncate(at("big"), 10 * 1024 * 1024);
  expect(await capture(["big"])).toMatchObject([{ size: 10 * 1024 * 1024 }]);
});

test("a path below a link is refused as unsafe, one below a file as unreadable", async () => {
  await mkdir(at("real"));
  await symlink("real", at("link"));
  await writeFile(at("file"), "");
  await expect(capture(["link/a.txt"])).rejects.toMatchObject({ reason: "unsafe_path" });
  await expect(capture(["file/a.txt"])).rejects.toMatchObject({ reason: "read_failed" });
});

test("a file that can't be opened is refused", async () => {
  await writeFile(at("secret"), "s");
  const open = (): never => {
    throw Object.assign(new Error("no"), { code: "EACCES" });
  };
  await expect(capture(["secret"], { ...systemFiles, open })).rejects.toMatchObject({
    reason: "read_failed",
  });
});

test("a file that changes while it is read is read again, at most three times", async () => {
  await writeFile(at("busy"), "0");
  let writes = 2;
  let opened = 0;
  const open: FileCalls["open"] = async (name, flags, mode) => {
    opened += 1;
    const handle = await systemFiles.open(name, flags, mode);
    if (writes > 0) await writeFile(at("busy"), `longer and longer ${(writes -= 1)}`.repeat(opened));
    return handle;
  };
  expect(await capture(["busy"], { ...systemFiles, open })).toMatchObject([{ exists: true }]);
  expect(opened).toBe(3);
  writes = Number.POSITIVE_INFINITY;
  opened = 0;
  const growing: FileCalls["open"] = async (name, flags, mode) => {
    const handle = await open(name, flags, mode);
    await writeFile(at("busy"), "x".repeat(opened));
    return handle;
  };
  await expect(capture(["busy"], { ...systemFiles, open: growing })).rejects.toMatchObject({
    reason: "file_changed_during_read",
  });
  expect(opened).toBe(4);
});

test("a folder that is swapped for a link while its file is read is noticed", async () => {
  await mkdir(at("d"));
  await mkdir(at("other"));
  await writeFile(at("d/a"), "mine");
  const open: FileCalls["open"] = async (name, flags, mode) => {
    const handle = await systemFiles.open(name, flags, mode);
    await rm(at("d"), { recursive: true });
    await symlink("other", at("d"));
    return handle;
  };
  await expect(capture(["d/a"], { ...systemFiles, open })).rejects.toMatchObject({ reason: "unsafe_path" });
});
