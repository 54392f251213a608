/** One session and two processes that want it: one leads, the other is told who does; one that slept through its lease leads no more. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { createRuntime } from "../../src/runtime/index.ts";
import { Lemon, type Running } from "../crash/lemon.ts";
import { privateBuild } from "../crash/victim.ts";
import { temporaryFolder } from "../support/runtimes.ts";

const timeout = 120_000;
const build = privateBuild("two");
afterAll(() => build.remove());

/** A session whose command has begun and would take ten minutes. */
async function leading(): Promise<{ lemon: Lemon; leader: Running; counter: string }> {
  const folder = temporaryFolder();
  const cwd = path.join(folder, "work");
  mkdirSync(cwd);
  const script = path.join(folder, "script.json");
  const command = "echo ran >> counter.txt; echo begun; sleep 600";
  writeFileSync(
    script,
    JSON.stringify({ turns: [{ toolCalls: [{ name: "bash", args: { command } }] }, { text: "Done." }] }),
  );
  const lemon = new Lemon(build.dist, path.join(folder, "home"), { cwd });
  const args = ["--json", "run", "Go", "--script", script, "--session", "s", "--approve", "auto"];
  const leader = await new Promise<Running>((resolve, reject) => {
    const running: Running = lemon.start(args, {
      onLine: ({ type }) => {
        if (type === "tool_execution_update") resolve(running);
      },
    });
    running.ended.then(
      ({ stderr }) => reject(new Error(`it ended before its command began: ${stderr}`)),
      reject,
    );
  });
  return { lemon, leader, counter: path.join(cwd, "counter.txt") };
}

describe("a second process", { timeout }, () => {
  test("is told which process leads the session, and may look at it; when that one is gone it goes on", async () => {
    const { lemon, leader, counter } = await leading();
    for (const command of [
      ["run", "Me too", "--session", "s"],
      ["resume", "s"],
    ]) {
      const second = await lemon.run("--json", ...command);
      expect(second.status).toBe(1);
      expect(second.lines.at(-1)).toMatchObject({ error: { code: "LEMON_SESSION_BUSY" } });
      expect(second.stderr).toContain(`process ${leader.pid} on ${hostname()}`);
    }
    expect(await lemon.run("--json", "show", "s")).toMatchObject({ status: 0 });

    leader.kill("SIGKILL");
    await leader.ended;
    const resumed = await lemon.run("--json", "resume", "s");
    expect(resumed).toMatchObject({ status: 0 });
    expect(resumed.lines.at(-1)).toMatchObject({ type: "result", status: "completed", text: "Done." });
    expect(readFileSync(counter, "utf8")).toBe("ran\n");
  });

  test("takes over from a leader that is stopped past its lease, which can add nothing when it wakes", async () => {
    const { lemon, leader, counter } = await leading();
    leader.kill("SIGSTOP");
    // For this process the lease is long over: its clock is an hour ahead.
    const log = await openEventLog(path.join(lemon.home, "log.db"), { now: () => Date.now() + 3_600_000 });
    const runtime = await createRuntime({ home: lemon.home, log });
    const session = await runtime.sessions.resume("s");
    expect(await session.outcome()).toMatchObject({ status: "completed", text: "Done." });
    const { version } = session.state();

    leader.kill("SIGCONT");
    const woken = await leader.ended;
    expect(woken.status).toBe(1);
    expect(woken.stderr).toContain(`process ${process.pid} on ${hostname()}`);
    const facts = [];
    for await (const fact of session.facts()) facts.push(fact.type);
    expect(facts).toHaveLength(version);
    expect(facts.filter((type) => type === "tool_call.interrupted")).toHaveLength(1);
    expect(readFileSync(counter, "utf8")).toBe("ran\n");
    expect((await runtime.replay.verify("s")).divergences).toEqual([]);
    await runtime.close();
    await log.close();
  });

  test("at the level of the log: what a leader appends after its lease expired is refused, whoever leads by now", async () => {
    let now = 1_000_000;
    const file = path.join(temporaryFolder(), "log.db");
    const [first, second] = [
      await openEventLog(file, { now: () => now }),
      await openEventLog(file, { now: () => now }),
    ];
    const fact = {
      type: "test.happened",
      data: {},
      kind: "input",
      actor: "caller",
      causation: null,
      correlation: null,
    } as const;
    const stalled = await first.acquire("first", "somebody", 10_000);
    await first.claim("s", stalled);
    await first.append("s", "none", [fact], { fence: stalled });
    await expect(second.append("s", "any", [fact])).rejects.toMatchObject({ code: "LEMON_SESSION_BUSY" });
    now += 10_001;
    await expect(first.append("s", "any", [fact], { fence: stalled })).rejects.toMatchObject({
      code: "LEMON_FENCED",
      because: "expired",
    });
    const next = await second.acquire("second", "somebody else", 10_000);
    expect(await second.claim("s", next)).toBe(1);
    await second.append("s", 1, [fact], { fence: next });
    await expect(first.append("s", "any", [fact], { fence: stalled })).rejects.toMatchObject({
      code: "LEMON_FENCED",
    });
    await expect(first.renew(stalled)).rejects.toMatchObject({ code: "LEMON_FENCED" });
    await first.close();
    await second.close();
  });
});
