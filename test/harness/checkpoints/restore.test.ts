import { chmod, mkdir, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CheckpointRig } from "./rig.ts";

let rig: CheckpointRig;
beforeEach(async () => {
  rig = await CheckpointRig.start();
});
afterEach(() => rig.stop());

const point = async (): Promise<string> =>
  (await rig.service.createFilesystem("s", undefined, { cwd: rig.cwd })).id;

test("a checkpoint leaves files that the agent never touched as they are", async () => {
  await rig.write("a.txt", "one\n");
  await rig.write("data/out.jsonl", '{"n":1}\n');
  await rig.write("ignored.log", "log\n");
  await rig.write(".gitignore", "");
  await rig.write(".git/HEAD", "ref: refs/heads/main\n");
  const id = await point();
  await rig.tool("a.txt", "two\n");
  await rig.write("later.txt", "made by a script\n");
  await rig.write(".gitignore", "*.log\n");
  const result = await rig.service.restoreFilesystem(id);
  expect(result).toMatchObject({
    status: "restored",
    restored: [rig.at("a.txt")],
    conflicts: [],
    failed: [],
  });
  const texts = await Promise.all(
    ["a.txt", "data/out.jsonl", "ignored.log", ".gitignore", ".git/HEAD", "later.txt"].map((name) =>
      rig.image(name),
    ),
  );
  expect(texts.map((image) => image?.bytes)).toEqual([
    "one\n",
    '{"n":1}\n',
    "log\n",
    "*.log\n",
    "ref: refs/heads/main\n",
    "made by a script\n",
  ]);
});

test("a checkpoint removes a file that was created since, with the folders that were made for it", async () => {
  await rig.write("keep.txt", "keep\n");
  const id = await point();
  await rig.tool("pkg/new/mod.ts", "export {}");
  const preview = await rig.service.restoreFilesystem(id, { dryRun: true });
  expect(preview).toMatchObject({
    status: "restored",
    restored: [rig.at("pkg/new/mod.ts")],
    preRestoreCheckpointId: null,
  });
  expect((await rig.service.diffFilesystem(id)).diffs).toMatchObject([
    { path: rig.at("pkg/new/mod.ts"), action: "remove" },
  ]);
  expect(await rig.image("pkg/new/mod.ts")).not.toBeNull();
  await rig.service.restoreFilesystem(id);
  expect(await rig.names()).toEqual(["keep.txt"]);
});

test("a folder that holds another file stays", async () => {
  const id = await point();
  await rig.tool("pkg/new/mod.ts", "export {}");
  await rig.write("pkg/mine.txt", "mine");
  await rig.service.restoreFilesystem(id);
  expect(await rig.names()).toEqual(["pkg", "pkg/mine.txt"]);
});

test("what was edited by hand after the agent is a conflict, and forced it is brought back", async () => {
  await rig.write("a.txt", "one\n");
  const id = await point();
  await rig.tool("a.txt", "two\n");
  await rig.write("a.txt", "mine\n");
  const refused = await rig.service.restoreFilesystem(id);
  expect(refused).toMatchObject({
    status: "failed",
    preRestoreCheckpointId: null,
    results: [{ outcome: "conflict", code: "changed_by_other" }],
  });
  expect((await rig.image("a.txt"))?.bytes).toBe("mine\n");
  const forced = await rig.service.restoreFilesystem(id, { force: true });
  expect(forced.status).toBe("restored");
  expect((await rig.image("a.txt"))?.bytes).toBe("one\n");
  // And even that can be undone.
  await rig.service.restoreFilesystem(forced.preRestoreCheckpointId ?? "");
  expect((await rig.image("a.txt"))?.bytes).toBe("mine\n");
});

test("a mode counts like bytes: it is brought back, and one that was set by hand is a conflict", async () => {
  await rig.write("run.sh", "#!/bin/sh\n", 0o755);
  const id = await point();
  await rig.call(["run.sh"], () => chmod(rig.at("run.sh"), 0o644));
  expect((await rig.service.diffFilesystem(id)).diffs).toMatchObject([
    { action: "chmod", modeChanged: true, diff: "" },
  ]);
  await chmod(rig.at("run.sh"), 0o600);
  expect((await rig.service.restoreFilesystem(id)).conflicts).toEqual([rig.at("run.sh")]);
  await chmod(rig.at("run.sh"), 0o644);
  expect((await rig.service.restoreFilesystem(id)).restored).toEqual([rig.at("run.sh")]);
  expect((await rig.image("run.sh"))?.mode).toBe(0o755);
});

test("a file that the agent deleted is made again, byte for byte, with its mode and folders", async () => {
  const bytes = Buffer.from([0, 1, 255, 254, 10]);
  await rig.write("deep/er/b.bin", bytes, 0o4711);
  const id = await point();
  await rig.call(["deep/er/b.bin"], () => rm(rig.at("deep"), { recursive: true }));
  const result = await rig.service.restoreFilesystem(id);
  expect(result.status).toBe("restored");
  expect(await rig.image("deep/er/b.bin")).toEqual({ bytes: bytes.toString("latin1"), mode: 0o4711 });
});

test("restoring the checkpoint that a restore took undoes it", async () => {
  await rig.write("a.txt", "one\n");
  const id = await point();
  await rig.tool("a.txt", "two\n");
  await rig.tool("b/c.txt", "new\n");
  const { preRestoreCheckpointId } = await rig.service.restoreFilesystem(id);
  expect(await rig.names()).toEqual(["a.txt"]);
  const undone = await rig.service.restoreFilesystem(preRestoreCheckpointId ?? "");
  expect(undone).toMatchObject({ status: "restored", conflicts: [] });
  expect(await rig.names()).toEqual(["a.txt", "b", "b/c.txt"]);
  expect((await rig.image("a.txt"))?.bytes).toBe("two\n");
  // And the undo can be undone.
  await rig.service.restoreFilesystem(id);
  expect(await rig.names()).toEqual(["a.txt"]);
});

test("nothing to do is a result of its own, and is recorded without a checkpoint", async () => {
  await rig.write("a.txt", "one\n");
  const id = await point();
  expect(await rig.service.restoreFilesystem(id)).toMatchObject({ status: "nothing_to_do", results: [] });
  await rig.tool("a.txt", "two\n");
  await rig.write("a.txt", "one\n");
  expect(await rig.service.restoreFilesystem(id)).toMatchObject({
    status: "nothing_to_do",
    unchanged: [rig.at("a.txt")],
    preRestoreCheckpointId: null,
  });
  expect(await rig.facts("checkpoint.restored")).toHaveLength(2);
  expect(await rig.facts("checkpoint.restore_started")).toHaveLength(0);
});

test("a version of the session is a point too", async () => {
  await rig.write("a.txt", "zero");
  await rig.tool("a.txt", "one");
  const version = (await rig.log.streams("session-s"))[0]?.version ?? 0;
  await rig.tool("a.txt", "two");
  await rig.tool("a.txt", "three");
  const result = await rig.service.restoreFilesystem({ sessionId: "s", at: version });
  expect(result).toMatchObject({ checkpointId: null, sessionId: "s", status: "restored" });
  expect((await rig.image("a.txt"))?.bytes).toBe("one");
  for (const at of [0, 99, 1.5, -1])
    await expect(rig.service.restoreFilesystem({ sessionId: "s", at })).rejects.toMatchObject({
      reason: "invalid_version",
    });
});

test("a guard's file that no call wrote since is somebody else's", async () => {
  await rig.write("a.txt", "one");
  const id = (await rig.tool("b.txt", "b")) ?? "";
  const guard = await rig.call(["a.txt"], () => Promise.resolve(), { guard: true });
  await rig.write("a.txt", "mine");
  expect((await rig.service.restoreFilesystem(guard ?? "")).results).toMatchObject([
    { outcome: "conflict", code: "not_written_by_agent" },
  ]);
  expect((await rig.service.restoreFilesystem(id)).status).toBe("restored");
});

test("a file that a user named is brought back without force when no call wrote it since", async () => {
  await rig.write("a.txt", "one");
  const { id } = await rig.service.createFilesystem("s", ["a.txt"], { cwd: rig.cwd });
  await rig.write("a.txt", "mine");
  expect((await rig.service.restoreFilesystem(id)).status).toBe("restored");
  expect((await rig.image("a.txt"))?.bytes).toBe("one");
});

test("each path that can't be restored says why, and the others are restored", async () => {
  for (const name of ["ok", "link", "folder", "huge", "sub/x"]) await rig.write(name, "one");
  const { id } = await rig.service.createFilesystem("s", ["ok", "link", "folder", "huge", "sub/x"], {
    cwd: rig.cwd,
  });
  await rig.write("ok", "two");
  await unlink(rig.at("link"));
  await symlink("ok", rig.at("link"));
  await unlink(rig.at("folder"));
  await mkdir(rig.at("folder"));
  await truncate(rig.at("huge"), 11 << 20);
  await rm(rig.at("sub"), { recursive: true });
  await symlink(".", rig.at("sub"));
  const result = await rig.service.restoreFilesystem(id, { force: true });
  expect(result).toMatchObject({
    status: "partial",
    results: [
      { outcome: "restored", code: null },
      { outcome: "failed", code: "unsafe_path" },
      { outcome: "failed", code: "unsupported_file_type" },
      { outcome: "failed", code: "file_too_large" },
      { outcome: "failed", code: "unsafe_path" },
    ],
  });
});

test("content that is not known is not restored", async () => {
  await rig.write("a.txt", "one");
  const id = await point();
  await rig.call(["a.txt"], () => rig.write("a.txt", "two"), { known: false });
  expect((await rig.service.restoreFilesystem(id, { force: true })).results).toMatchObject([
    { outcome: "failed", code: "content_unavailable" },
  ]);
});

test("a file outside of the working directory is restored when it is named or forced", async () => {
  const outside = `${rig.cwd}.outside`;
  try {
    await writeFile(outside, "one");
    const id = await point();
    await rig.call([outside], () => writeFile(outside, "two"));
    expect((await rig.service.restoreFilesystem(id)).results).toMatchObject([
      { outcome: "failed", code: "outside_cwd" },
    ]);
    expect((await rig.service.restoreFilesystem(id, { paths: [outside] })).status).toBe("restored");
  } finally {
    await rm(outside, { force: true });
  }
});

test("a selection is checked as a whole before anything is done", async () => {
  await rig.write("a.txt", "one");
  const id = await point();
  await rig.tool("a.txt", "two");
  await expect(rig.service.restoreFilesystem(id, { paths: ["a.txt", "other.txt"] })).rejects.toMatchObject({
    reason: "path_not_in_checkpoint",
  });
  for (const paths of [[], "a.txt", [""], ["a\0b"], [1]])
    await expect(rig.service.restoreFilesystem(id, { paths: paths as never })).rejects.toMatchObject({
      reason: "invalid_paths",
    });
  expect((await rig.image("a.txt"))?.bytes).toBe("two");
  expect(await rig.facts("checkpoint.restored")).toEqual([]);
});

test("an unknown, malformed or deleted id is not found, and a session checkpoint has no files", async () => {
  for (const id of ["chk_0000000000000000", "../x", 7])
    await expect(rig.service.restoreFilesystem(id as never)).rejects.toMatchObject({ reason: "not_found" });
  const { id } = await rig.service.create("s");
  await expect(rig.service.restoreFilesystem(id)).rejects.toMatchObject({
    reason: "not_filesystem_checkpoint",
  });
  expect(await rig.service.delete(id)).toBe(true);
  expect(await rig.service.delete(id)).toBe(false);
  await expect(rig.service.get(id)).rejects.toMatchObject({ reason: "not_found" });
});
