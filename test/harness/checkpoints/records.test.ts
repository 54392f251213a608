import { chmod, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkpointReader } from "../../../src/harness/index.ts";
import { CheckpointRig } from "./rig.ts";

let rig: CheckpointRig;
afterEach(() => rig.stop());

test("a session checkpoint holds what was given, hides secrets, and gives it back twice alike", async () => {
  rig = await CheckpointRig.start({ requirements: { features: [] } });
  const todos = [{ id: "1", content: "x" }];
  const made = await rig.service.create("s", {
    state: { key: "hush-hush-hush" },
    todos,
    metadata: { mine: 1 },
  });
  expect(JSON.stringify(made)).not.toContain("hush-hush-hush");
  expect(made).toMatchObject({
    sessionId: "s",
    kind: "session",
    origin: "user",
    tool: null,
    pathCount: 0,
    context: {},
    todos,
    requirements: { features: [] },
    metadata: {
      mine: 1,
      version: "1.0",
      kind: "session",
      origin: "user",
      tool: null,
      pathCount: 0,
      sessionVersion: 1,
      position: 1,
    },
  });
  expect(await rig.service.get(made.id)).toEqual(made);
  expect((await rig.service.create("session:s", { todos: null, requirements: null })).todos).toBeNull();
  const { id } = await rig.service.create("s", { todos: [] });
  const first = await rig.service.resume(id);
  expect(first).toEqual({
    sessionId: "s",
    state: {},
    context: {},
    todos: [],
    requirements: { features: [] },
    resumedFrom: id,
    timestamp: "2023-11-14T22:13:20.000Z",
  });
  expect(await rig.service.resume(id)).toEqual(first);
  expect(await rig.facts("todos.written")).toEqual([
    { action: "resume", todos: [], callId: null },
    { action: "resume", todos: [], callId: null },
  ]);
});

test("content up to 256 KiB is in the fact, more in a blob, and above 10 MiB it is refused", async () => {
  rig = await CheckpointRig.start();
  const large = { text: "x".repeat(300 * 1024) };
  const { id } = await rig.service.create("s", { state: large });
  expect(await rig.facts("checkpoint.created")).toMatchObject([
    { content: null, contentSha256: expect.any(String) as string },
  ]);
  expect((await rig.service.get(id)).state).toEqual(large);
  await expect(rig.service.create("s", { state: "x".repeat(11 << 20) })).rejects.toMatchObject({
    reason: "invalid_state",
  });
});

test("what can't be kept is refused by name and writes nothing", async () => {
  rig = await CheckpointRig.start();
  for (const field of ["state", "context", "requirements"])
    await expect(rig.service.create("s", { [field]: { at: new Date() } })).rejects.toMatchObject({
      reason: "invalid_state",
      field,
    });
  for (const metadata of [{ kind: "x" }, [], { at: new Date() }, null])
    await expect(rig.service.create("s", { metadata: metadata as never })).rejects.toMatchObject({
      reason: "invalid_metadata",
    });
  for (const paths of [[], [" "], ["a\0"], "a", Array.from({ length: 10_001 }, (_, at) => `f${at}`)])
    await expect(rig.service.createFilesystem("s", paths as never)).rejects.toMatchObject({
      reason: "invalid_paths",
    });
  for (const keep of [-1, 1.5, NaN, "2"])
    await expect(rig.service.prune("s", keep as never)).rejects.toMatchObject({ reason: "invalid_keep" });
  for (const id of ["", " s", "a\nb", "x".repeat(257)])
    await expect(rig.service.create(id)).rejects.toMatchObject({ reason: "invalid_session_id" });
  await mkdir(rig.at("folder"));
  await expect(rig.service.createFilesystem("s", ["ok", "folder"])).rejects.toMatchObject({
    reason: "unsupported_file_type",
  });
  expect(await rig.facts("checkpoint.created")).toEqual([]);
});

test("lists are newest first by position, counted, pruned, and read as they were", async () => {
  rig = await CheckpointRig.start();
  const ids: string[] = [];
  for (let at = 0; at < 4; at += 1) ids.unshift((await rig.service.createFilesystem("s")).id);
  expect((await rig.service.list("s")).map(({ id }) => id)).toEqual(ids);
  expect((await rig.service.latest("s")).id).toBe(ids[0]);
  expect(await rig.service.stats("s")).toMatchObject({ count: 4, filesystemCount: 4 });
  expect(await rig.service.stats("unknown")).toEqual({
    count: 0,
    filesystemCount: 0,
    oldest: null,
    newest: null,
  });
  await expect(rig.service.latest("unknown")).rejects.toMatchObject({ reason: "not_found" });
  expect(await rig.service.prune("s", 3)).toBe(1);
  expect(await rig.service.list("s", { at: 2 })).toHaveLength(2);
  expect(await rig.service.deleteAll("s")).toBe(3);
  expect(await rig.service.list("s")).toEqual([]);
  expect(await checkpointReader(rig.log, rig.cwd).list("s", { at: 4 })).toHaveLength(4);
});

test("guards go by themselves, the oldest first, and nothing else does", async () => {
  rig = await CheckpointRig.start({ settings: { maxPerSession: 2, maxBytesPerSession: 10 } });
  const mine = await rig.service.createFilesystem("s");
  const write = (fact: { type: string; data: unknown }): Promise<void> => rig.append(fact.type, fact.data);
  const guard = async (text: string): Promise<string> => {
    await rig.write("a", text);
    const request = { paths: ["a"], cwd: rig.cwd, tool: "write", runId: null };
    return (await rig.service.guard("s", request, { write, callId: "call_1" })).checkpointId;
  };
  const [, second, third] = [await guard("1"), await guard("2"), await guard("3")];
  expect((await rig.service.list("s")).map(({ id }) => id)).toEqual([third, second, mine.id]);
  const large = await guard("more than ten bytes");
  expect((await rig.service.list("s")).map(({ id }) => id)).toEqual([large, mine.id]);
  expect(await rig.facts("checkpoint.deleted")).toMatchObject([
    { cause: "retention" },
    { checkpointId: second, cause: "retention" },
    { checkpointId: third, cause: "retention" },
  ]);
});

test("exports hold the bytes, are private, follow deletions and can be rebuilt", async () => {
  rig = await CheckpointRig.start({ settings: { export: true } });
  await rig.write("a", Buffer.from([0, 255]));
  const { id } = await rig.service.createFilesystem("s", ["a"]);
  const file = path.join(rig.exports, `${id}.json`);
  const read = async (): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));
  expect(await read()).toMatchObject({ id, state: { filesystem: { files: [{ contentBase64: "AP8=" }] } } });
  expect(((await stat(rig.exports)).mode & 0o777).toString(8)).toBe("700");
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600");
  await chmod(rig.exports, 0o755);
  expect(await rig.service.rebuildExports()).toBe(1);
  expect(((await stat(rig.exports)).mode & 0o777).toString(8)).toBe("700");
  await rig.service.delete(id);
  expect(await readdir(rig.exports)).toEqual([]);
});

test("a folder for exports that is a link gets none, is told of once, and the checkpoint is taken", async () => {
  const told: object[] = [];
  const say = (): void => undefined;
  const logger = { debug: say, info: say, error: say, warn: (fields: object) => void told.push(fields) };
  rig = await CheckpointRig.start({ settings: { export: true }, logger });
  await mkdir(rig.at("elsewhere"));
  await symlink(rig.at("elsewhere"), rig.exports);
  await rig.service.create("s");
  await rig.service.create("s");
  expect(await readdir(rig.at("elsewhere"))).toEqual([]);
  expect(told).toEqual([{ code: "checkpoint_export_failed", why: "is not a folder" }]);
  expect(await rig.service.list("s")).toHaveLength(2);
});

test("a diff shows text, names binary files and modes, and is cut at a line", async () => {
  rig = await CheckpointRig.start();
  await rig.write("text", "a\nb\nc");
  await rig.write("binary", Buffer.from([0]));
  await rig.write("mode", "m\n", 0o644);
  await rig.write("same", "s\n");
  await rig.write("large", "");
  const { id } = await rig.service.createFilesystem("s", [
    "text",
    "binary",
    "mode",
    "same",
    "large",
    "new\nname",
  ]);
  expect((await rig.service.diffFilesystem(id)).output).toBe(`No differences from ${id}.`);
  await rig.write("text", "a\nB\nc\n");
  await rig.write("binary", Buffer.from([255, 255]));
  await chmod(rig.at("mode"), 0o755);
  await rig.write("large", "line\n".repeat(40_000));
  await rig.write("new\nname", "n\n");
  const { diffs, changed, truncated } = await rig.service.diffFilesystem(id);
  expect(changed).toEqual(["text", "binary", "mode", "large", "new\nname"].map((name) => rig.at(name)));
  expect(truncated).toBe(true);
  const [text, binary, mode, large, odd] = diffs;
  expect(text?.diff).toBe(
    `--- ${rig.at("text")} (checkpoint)\n+++ ${rig.at("text")} (current)\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n\\ No newline at end of file\n+B\n+c\n`,
  );
  expect(binary).toMatchObject({
    binary: true,
    diff: expect.stringContaining("1 bytes at the checkpoint, 2 bytes now") as string,
  });
  expect(mode).toMatchObject({ action: "chmod", modeChanged: true, diff: "" });
  expect(large?.truncated).toBe(true);
  expect(Buffer.byteLength(large?.diff ?? "")).toBeLessThanOrEqual(64 * 1024);
  expect(large?.diff.endsWith("\n")).toBe(true);
  expect(odd).toMatchObject({ action: "remove", beforeExists: false, afterExists: true });
  expect(odd?.diff.split("\n")[0]).toBe(`--- ${JSON.stringify(rig.at("new\nname"))} (checkpoint)`);
});
