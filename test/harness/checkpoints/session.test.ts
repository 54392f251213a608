import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedTurn } from "../../../src/providers/index.ts";
import type { Runtime } from "../../../src/runtime/index.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { scriptedRuntime } from "../../support/runtimes.ts";

let cwd: string;
let runtime: Runtime;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-rewind-")));
});
afterEach(async () => {
  await runtime.close();
  await rm(cwd, { recursive: true, force: true });
});

const start = async (turns: readonly ScriptedTurn[]) => {
  runtime = await scriptedRuntime(await memoryLog(), turns, { config: { checkpoints: { export: false } } });
  return runtime.sessions.start({ model: "s/m", sessionId: "s", cwd });
};
const call = (name: string, args: Record<string, unknown>): ScriptedTurn => ({ toolCalls: [{ name, args }] });

async function tree(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(cwd, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const mode = ((await stat(file)).mode & 0o777).toString(8);
    found[path.relative(cwd, file)] = entry.isDirectory()
      ? "folder"
      : `${mode} ${await readFile(file, "latin1")}`;
  }
  return found;
}

test("a point brings back all that tools and the shell changed, and its undo all that they had made", async () => {
  await writeFile(path.join(cwd, "a.txt"), "one\n");
  await writeFile(path.join(cwd, "gone.bin"), Buffer.from([0, 255, 1]));
  await mkdir(path.join(cwd, "src"));
  await writeFile(path.join(cwd, "src/m.sh"), "echo m\n");
  await chmod(path.join(cwd, "src/m.sh"), 0o755);
  const session = await start([
    call("write", { path: "a.txt", content: "two\n" }),
    call("bash", {
      command: "rm gone.bin; chmod 644 src/m.sh; mkdir -p new/deep; echo hi > new/deep/f; mv a.txt b.txt",
    }),
    call("edit", { path: "b.txt", oldText: "two", newText: "three" }),
    { text: "done" },
  ]);
  const before = await tree();
  const { id } = await runtime.checkpoints.createFilesystem("s");
  expect((await session.prompt("go")).status).toBe("completed");
  const after = await tree();
  expect(after).not.toEqual(before);
  const result = await runtime.checkpoints.restoreFilesystem(id);
  expect(result).toMatchObject({ status: "restored", conflicts: [], failed: [] });
  expect(await tree()).toEqual(before);
  await runtime.checkpoints.restoreFilesystem(result.preRestoreCheckpointId ?? "");
  expect(await tree()).toEqual(after);
  expect((await runtime.replay.verify("s")).divergences).toEqual([]);
});

test("the tool lists, restores and deletes the checkpoints of its session, and no other's", async () => {
  await writeFile(path.join(cwd, "a.txt"), "one\n");
  const turns: ScriptedTurn[] = [call("write", { path: "a.txt", content: "two\n" }), { text: "written" }];
  const session = await start(turns);
  const { id } = await runtime.checkpoints.createFilesystem("s");
  const foreign = await runtime.checkpoints.createFilesystem("other", ["a.txt"], { cwd });
  await session.prompt("go");
  turns.push(
    call("checkpoint", { action: "list" }),
    call("checkpoint", { action: "restore", checkpointId: foreign.id }),
    call("checkpoint", { action: "restore", checkpointId: id }),
    call("checkpoint", { action: "delete", checkpointId: id }),
    call("checkpoint", { action: "diff" }),
    { text: "done" },
  );
  await session.prompt("back");
  const results: { isError: boolean; errorType: string | null }[] = [];
  for await (const fact of runtime.log.read("session-s", { types: ["tool_call.returned"] }))
    results.push(fact.data as { isError: boolean; errorType: string | null });
  expect(results.map(({ isError, errorType }) => [isError, errorType])).toEqual([
    [false, null],
    [false, null],
    [true, "not_found"],
    [false, null],
    [false, null],
    [true, "missing_checkpoint_id"],
  ]);
  expect(await readFile(path.join(cwd, "a.txt"), "utf8")).toBe("one\n");
  await expect(runtime.checkpoints.get(id)).rejects.toMatchObject({ reason: "not_found" });
  expect((await runtime.replay.verify("s")).divergences).toEqual([]);
});

test("a file whose name holds a secret is told as not restorable, and none is made in its place, forced or not", async () => {
  const value = "supersecretvalue1234";
  runtime = await scriptedRuntime(
    await memoryLog(),
    [call("bash", { command: `for f in *.txt; do echo changed >> $f; done` }), { text: "done" }],
    {
      config: { checkpoints: { export: false }, secrets: { TOK: { env: "TOK" } } },
      env: { ...process.env, TOK: value },
    },
  );
  await writeFile(path.join(cwd, `${value}.txt`), "old\n");
  await writeFile(path.join(cwd, "plain.txt"), "old\n");
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s", cwd });
  await session.prompt("go");
  const restored = await runtime.checkpoints.restoreFilesystem({ sessionId: "s", at: 2 }, { force: true });
  expect(restored).toMatchObject({ status: "partial", restored: [path.join(cwd, "plain.txt")] });
  expect(restored.results.filter(({ outcome }) => outcome === "failed")).toMatchObject([
    { code: "content_unavailable" },
  ]);
  expect(await tree()).toEqual({ "plain.txt": "644 old\n", [`${value}.txt`]: "644 old\nchanged\n" });
});
