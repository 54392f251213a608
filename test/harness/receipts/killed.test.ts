/** A process that dies in the middle of a call: whoever goes on says what the call had changed. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openEventLog } from "../../../src/log/index.ts";
import { scriptedRuntime, temporaryFolder } from "../../support/runtimes.ts";
import { sha256 } from "./support.ts";

const victim = path.join(import.meta.dirname, "victim.mjs");

/** Kills a process while its session is in the call, then goes on with the session here. */
async function killed(call: { name: string; args: object }, prepare: (cwd: string) => void, sign: string) {
  const home = temporaryFolder();
  const cwd = path.join(realpathSync(temporaryFolder()), "work");
  mkdirSync(cwd);
  prepare(cwd);
  const child = spawn(process.execPath, [victim, home, cwd, JSON.stringify([call])], { stdio: "ignore" });
  await expect.poll(() => existsSync(path.join(cwd, sign)), { timeout: 20_000, interval: 5 }).toBe(true);
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  const log = await openEventLog(path.join(home, "log.db"));
  const runtime = await scriptedRuntime(log, [{ toolCalls: [call] }, { text: "Done." }], { home, cwd });
  const session = await runtime.sessions.resume("victim", { model: "s/m" });
  await session.outcome();
  const ends: { receipt: unknown }[] = [];
  for await (const { type, data } of session.facts())
    if (type === "tool_call.interrupted") ends.push(data as { receipt: unknown });
  const { divergences } = await runtime.replay.verify("victim");
  await runtime.close();
  await log.close();
  return { cwd, ends, divergences };
}

test("bash: the scan from before its start is compared with the files as they are", async () => {
  const { cwd, ends, divergences } = await killed(
    {
      name: "bash",
      args: { command: "echo new > a; mkdir d; echo x > d/b; rm c; echo > sign; exec sleep 60" },
    },
    (folder) => {
      writeFileSync(path.join(folder, "a"), "old\n");
      writeFileSync(path.join(folder, "c"), "c\n");
    },
    "sign",
  );
  expect(ends).toMatchObject([
    { receipt: { action: "bash", outcome: "partial", success: false, coverage: "full" } },
  ]);
  expect(ends[0]?.receipt).toMatchObject({
    createdDirs: [path.join(cwd, "d")],
    files: [
      {
        path: path.join(cwd, "a"),
        change: "modified",
        beforeSha256: sha256("old\n"),
        afterSha256: sha256("new\n"),
      },
      { path: path.join(cwd, "c"), change: "deleted" },
      { path: path.join(cwd, "d/b"), change: "created" },
      { path: path.join(cwd, "sign"), change: "created" },
    ],
  });
  expect(divergences).toEqual([]);
});

test("patch: what the guard kept is compared with the files as they are", async () => {
  const many = Array.from({ length: 400 }, (_, index) => `f${index}`);
  const { cwd, ends, divergences } = await killed(
    {
      name: "patch",
      args: {
        patch: `*** Begin Patch\n*** Add File: sign\n+x\n${many.map((name) => `*** Update File: ${name}\n@@\n-old\n+new\n`).join("")}*** End Patch`,
      },
    },
    (folder) => many.forEach((name) => writeFileSync(path.join(folder, name), "old\n")),
    "sign",
  );
  const changed = many.filter((name) => readFileSync(path.join(cwd, name), "utf8") === "new\n");
  expect(changed.length).toBeLessThan(many.length);
  expect(ends).toMatchObject([{ receipt: { action: "patch", coverage: "full" } }]);
  const { changedPaths = [] } = (ends[0]?.receipt ?? {}) as { changedPaths?: string[] };
  expect(changedPaths.toSorted()).toEqual(
    ["sign", ...changed].map((name) => path.join(cwd, name)).toSorted(),
  );
  expect(divergences).toEqual([]);
});
