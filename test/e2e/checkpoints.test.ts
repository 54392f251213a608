import { watch } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { appeared, gated, Place } from "./support/command.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make();
});

const text = (name: string): Promise<string> => readFile(path.join(place.cwd, name), "utf8");

async function ran(...calls: readonly { name: string; args: object }[]): Promise<void> {
  const script = await place.script([{ toolCalls: calls }, { text: "done" }]);
  const { status } = await place.lemon(
    "run",
    "--script",
    script,
    "--session",
    "s",
    "--approve",
    "auto",
    "Go",
  );
  expect(status).toBe(0);
}

test("files go back to any version of a session, what others wrote is left alone, and a restore is undone", async () => {
  await writeFile(path.join(place.cwd, "a.txt"), "one\n");
  await writeFile(path.join(place.cwd, "b.txt"), "b\n");
  await ran(
    { name: "write", args: { path: "a.txt", content: "two\n" } },
    { name: "bash", args: { command: "rm b.txt; echo new > c.txt" } },
  );
  const preview = await place.lemon("checkpoint", "restore", "s", "--at", "1", "--dry-run");
  expect(preview.status).toBe(0);
  expect(preview.stdout).toMatch(
    /would overwrite {2}.*a\.txt\n.*would recreate {2}.*b\.txt\n.*would remove {2}.*c\.txt/,
  );
  expect(await text("a.txt")).toBe("two\n");
  await writeFile(path.join(place.cwd, "c.txt"), "mine\n");
  const { status, lines } = await place.json("checkpoint", "restore", "s", "--at", "1");
  expect(status).toBe(1);
  expect(lines).toMatchObject([{ status: "partial", conflicts: [path.join(place.cwd, "c.txt")] }]);
  expect(await Promise.all(["a.txt", "b.txt", "c.txt"].map(text))).toEqual(["one\n", "b\n", "mine\n"]);
  const undone = await place.lemon("checkpoint", "restore", String(lines[0]?.["preRestoreCheckpointId"]));
  expect(undone.status).toBe(0);
  expect(await text("a.txt")).toBe("two\n");
  expect(await readdir(place.cwd)).toEqual(["a.txt", "c.txt"]);
});

test("checkpoints are created, listed, shown, compared, resumed, pruned and deleted", async () => {
  await writeFile(path.join(place.cwd, "a.txt"), "one\n");
  await ran({ name: "ls", args: {} });
  const id = (await place.lemon("checkpoint", "create", "s", "--files", "a.txt")).stdout.trim();
  expect(id).toMatch(/^chk_[0-9a-f]{16}$/);
  await writeFile(path.join(place.cwd, "a.txt"), "two\n");
  const diff = await place.lemon("checkpoint", "diff", id);
  expect(diff.stdout).toContain("-one\n+two\n");
  expect((await place.lemon("checkpoint", "show", id)).stdout).toContain("a.txt");
  expect((await place.json("checkpoint", "list", "s")).lines).toMatchObject([[{ id, kind: "filesystem" }]]);
  const state = (await place.lemon("checkpoint", "create", "s")).stdout.trim();
  expect((await place.lemon("checkpoint", "resume", state)).status).toBe(0);
  expect((await place.lemon("checkpoint", "diff", state)).status).toBe(2);
  expect((await place.lemon("checkpoint", "restore", id, "other.txt")).status).toBe(2);
  expect((await place.lemon("checkpoint", "delete", state)).status).toBe(0);
  expect((await place.lemon("checkpoint", "delete", state)).status).toBe(3);
  expect((await place.lemon("checkpoint", "prune", "s", "--keep", "0")).stdout).toBe("deleted 1\n");
  expect((await place.lemon("checkpoint", "create", "nope")).status).toBe(3);
  for (const args of [
    ["list", "nope"],
    ["list", ""],
    ["restore", "nope", "--at", "1"],
  ]) {
    const { status, stderr } = await place.lemon("checkpoint", ...args);
    expect([status, stderr]).toEqual([3, expect.stringContaining("there is no session")]);
  }
  const hinted = await place.lemon("checkpoint", "restore", "s");
  expect([hinted.status, hinted.stderr]).toEqual([3, expect.stringContaining("--at VERSION")]);
  const keep = await place.lemon("checkpoint", "prune", "s", "--keep", "-1");
  expect([keep.status, keep.stderr]).toEqual([2, expect.stringContaining("0 or more")]);
});

test("a restore that is killed is settled at the next one, which brings all back", async () => {
  const names = Array.from({ length: 150 }, (_, at) => `f${at}.txt`);
  for (const name of names) await writeFile(path.join(place.cwd, name), `${name} old\n`);
  await ran({ name: "bash", args: { command: "for f in f*.txt; do echo new > $f; done" } });
  const begun = new Promise<void>((resolve) => {
    const watcher = watch(place.cwd, (_event, name) => {
      if (name === null || !name.includes(".lemon-")) return;
      watcher.close();
      resolve();
    });
  });
  const running = place.start(["checkpoint", "restore", "s", "--at", "1"]);
  await begun;
  running.process.kill("SIGKILL");
  expect((await running.ended).signal).toBe("SIGKILL");
  const { status, lines } = await place.json("checkpoint", "restore", "s", "--at", "1");
  expect([status, lines[0]?.["conflicts"]]).toEqual([0, []]);
  expect((await readdir(place.cwd)).toSorted()).toEqual(names.toSorted());
  expect(await Promise.all(names.map(text))).toEqual(names.map((name) => `${name} old\n`));
  const settled = await place.json("facts", "s", "--type", "checkpoint.restored");
  expect(settled.lines).toHaveLength(2);
  expect((await place.lemon("verify")).status).toBe(0);
});

test("while a call that was killed has no end, only a forced restore goes on; the session's own tells it all", async () => {
  const { command, begun } = gated("wait");
  await writeFile(path.join(place.cwd, "a.txt"), "one\n");
  const script = await place.script([
    { toolCalls: [{ name: "bash", args: { command: `echo two > a.txt; ${command}` } }] },
    { text: "done" },
  ]);
  const running = place.start(["run", "--script", script, "--session", "s", "--approve", "auto", "Go"]);
  await appeared(path.join(place.cwd, begun), running);
  running.process.kill("SIGKILL");
  await running.ended;
  for (const more of [[], ["--dry-run"]]) {
    const { status, stderr } = await place.lemon("checkpoint", "restore", "s", "--at", "1", ...more);
    expect([status, stderr]).toEqual([1, expect.stringContaining("lemon resume s")]);
  }
  const forced = await place.json("checkpoint", "restore", "s", "--at", "1", "--dry-run", "--force");
  expect(forced).toMatchObject({ status: 0, lines: [{ status: "nothing_to_do" }] });
  expect((await place.lemon("resume", "s", "--approve", "auto")).status).toBe(0);
  const restored = await place.lemon("checkpoint", "restore", "s", "--at", "1");
  expect([restored.status, restored.stdout]).toEqual([0, expect.stringContaining("overwritten  ")]);
  expect(await text("a.txt")).toBe("one\n");
});

test("the name of a file can't look like another line", async () => {
  await ran({ name: "bash", args: { command: "touch $'x\\nfailed  y\\033[2J'" } });
  const { stdout } = await place.lemon("checkpoint", "restore", "s", "--at", "1", "--dry-run");
  expect(stdout).toBe(`would remove  ${place.cwd}/x\\nfailed  y\\u001b[2J\n`);
});
