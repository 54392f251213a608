import { rm, symlink, writeFile } from "node:fs/promises";
import { constants } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { PathResult } from "../../../src/harness/index.ts";
import type { EventLog } from "../../../src/log/index.ts";
import { systemFiles, type FileCalls } from "../../../src/workspace/index.ts";
import { memoryLog, tampered } from "../../support/log-doubles.ts";
import { CheckpointRig } from "./rig.ts";

let rig: CheckpointRig;
afterEach(() => rig.stop());

const isStage = (path: string): boolean => path.includes(".lemon-");
const failing = (code: string): Error => Object.assign(new Error(code), { code });

/** A session whose point is before changes of three files and a new one. */
async function changed(files: FileCalls, log?: EventLog): Promise<string> {
  rig = await CheckpointRig.start({ files, ...(log === undefined ? {} : { log }) });
  for (const name of ["a", "b", "c"]) await rig.write(name, `${name} old`);
  const { id } = await rig.service.createFilesystem("s", undefined, { cwd: rig.cwd });
  for (const name of ["a", "b", "c"]) await rig.tool(name, `${name} new`);
  await rig.tool("made/d", "d new");
  return id;
}

const texts = async (): Promise<(string | undefined)[]> =>
  Promise.all(["a", "b", "c", "made/d"].map(async (name) => (await rig.image(name))?.bytes));

test.each([
  ["ENOSPC", "no_space"],
  ["EACCES", "permission_denied"],
  ["EIO", "write_failed"],
])("%s while files are staged replaces none, leaves nothing behind, and says %s", async (code, word) => {
  let stages = 0;
  const id = await changed({
    ...systemFiles,
    open: (path, flags, mode) => {
      if ((flags & constants.O_CREAT) !== 0 && (stages += 1) === 2) throw failing(code);
      return systemFiles.open(path, flags, mode);
    },
  });
  const result = await rig.service.restoreFilesystem(id);
  expect(result.status).toBe("failed");
  expect(result.results.map(({ code: found }) => found)).toEqual([
    "not_attempted",
    word,
    "not_attempted",
    "not_attempted",
  ]);
  expect(await texts()).toEqual(["a new", "b new", "c new", "d new"]);
  expect((await rig.names()).filter(isStage)).toEqual([]);
  expect(await rig.facts("checkpoint.restored")).toMatchObject([{ status: "failed", written: [] }]);
  // The next try is none the worse for it.
  expect((await rig.service.restoreFilesystem(id)).status).toBe("restored");
});

test("a write of another between the plan and the rename is a conflict, and the others go on", async () => {
  let raced = false;
  const id = await changed({
    ...systemFiles,
    rename: async (from, to) => {
      // Before the second file is looked at for the last time.
      if (!raced) await writeFile(rig.at("b"), "mine");
      raced = true;
      await systemFiles.rename(from, to);
    },
  });
  const result = await rig.service.restoreFilesystem(id);
  expect(result).toMatchObject({ status: "partial", conflicts: [rig.at("b")] });
  expect(await texts()).toEqual(["a old", "mine", "c old", undefined]);
  // Undoing it leaves what is not the restore's alone too.
  const undone = await rig.service.restoreFilesystem(result.preRestoreCheckpointId ?? "");
  expect(undone.conflicts).toEqual([rig.at("b")]);
  expect(await texts()).toEqual(["a new", "mine", "c new", "d new"]);
});

test("a folder that becomes a link between plan and rename is not followed", async () => {
  let swapped = false;
  rig = await CheckpointRig.start({
    files: {
      ...systemFiles,
      open: async (path, flags, mode) => {
        const handle = await systemFiles.open(path, flags, mode);
        if ((flags & constants.O_CREAT) !== 0 && !swapped) {
          swapped = true;
          await rm(rig.at("d"), { recursive: true });
          await symlink("other", rig.at("d"));
        }
        return handle;
      },
    },
  });
  await rig.write("d/a", "old");
  await rig.write("other/a", "new");
  const { id } = await rig.service.createFilesystem("s", undefined, { cwd: rig.cwd });
  await rig.tool("d/a", "new");
  expect((await rig.service.restoreFilesystem(id, { force: true })).results).toMatchObject([
    { outcome: "failed", code: "unsafe_path" },
  ]);
  expect((await rig.image("other/a"))?.bytes).toBe("new");
});

test.each(Array.from({ length: 11 }, (_, step) => step))(
  "a restore that dies at its step %i is settled by what is there, and can be done again",
  async (step) => {
    let steps = -1;
    let isStarted = false;
    let isDead = false;
    // Whoever is dead changes nothing more, neither files nor the log; that its calls come back gives the files free.
    const dying =
      <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      (...args: Args): Promise<Result> => {
        if (isStarted && (steps += 1) === step) isDead = true;
        return isDead ? Promise.reject(failing("EDEAD")) : call(...args);
      };
    const files: FileCalls = {
      ...systemFiles,
      open: (path, flags, mode) => {
        if ((flags & constants.O_CREAT) === 0) return systemFiles.open(path, flags, mode);
        isStarted = true;
        return dying(systemFiles.open)(path, flags, mode);
      },
      rename: dying(systemFiles.rename),
      link: dying(systemFiles.link),
      unlink: dying(systemFiles.unlink),
      mkdir: dying(systemFiles.mkdir),
      rmdir: dying(systemFiles.rmdir),
    };
    const log = await memoryLog();
    const beforeAppend = (): void => {
      if (isDead) throw failing("EDEAD");
    };
    const id = await changed(files, tampered(log, { beforeAppend }));
    await rig.call(["c"], () => rm(rig.at("c")));
    const ended = await rig.service.restoreFilesystem(id).then(
      () => "alive",
      () => "dead",
    );
    expect(ended).toBe(isDead ? "dead" : "alive");
    const first = rig;
    rig = await CheckpointRig.start({ log, cwd: first.cwd });
    await first.leadership.close();
    await rig.service.recover("s");
    const settled = (await rig.facts("checkpoint.restored")) as { results: PathResult[] }[];
    expect(settled).toHaveLength(1);
    const results = settled[0]?.results ?? [];
    expect(results).toHaveLength(4);
    const now = await texts();
    for (const { path, outcome, code } of results) {
      const name = path.slice(rig.cwd.length + 1);
      const isOld =
        now[["a", "b", "c", "made/d"].indexOf(name)] === (name === "made/d" ? undefined : `${name} old`);
      const expected = isOld ? ["restored", null] : ["failed", "interrupted"];
      expect([name, outcome, code]).toEqual([name, ...expected]);
    }
    expect((await rig.names()).filter(isStage)).toEqual([]);
    // What the dead one wrote counts as the agent's own: no conflict.
    const again = await rig.service.restoreFilesystem(id);
    expect(again.conflicts).toEqual([]);
    expect(await texts()).toEqual(["a old", "b old", "c old", undefined]);
    const [begun] = (await rig.facts("checkpoint.restore_started")) as { preRestoreCheckpointId: string }[];
    await rig.service.restoreFilesystem(begun?.preRestoreCheckpointId ?? "");
    expect(await texts()).toEqual(["a new", "b new", undefined, "d new"]);
  },
);
