/** Child processes of an extension don't outlive it, and one that blocks its worker ends with the call's time. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

/** A child whose worker has gone is reaped by nobody, so a dead one may still have an entry. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const start = (command: string): string =>
  `import { spawn, spawnSync } from "node:child_process"; const start = () => spawn("sh", ["-c", ${JSON.stringify(command)}]).pid;`;

it("children that still run are asked to end with their worker, and then made to", async () => {
  await using t = await testWorld();
  const { host, members } = await t.open(
    withTools({ go: "return text(start())" }, "", start("exec sleep 60")),
  );
  const deaf = await t.open(
    withTools(
      { go: "return text(start())" },
      "",
      start("trap '' TERM; echo ready; while :; do sleep 0.1; done"),
    ),
    "deaf",
  );
  const pids = [
    Number(await textOf(callTool(members, "go"))),
    Number(await textOf(callTool(deaf.members, "go"))),
  ];
  expect(pids.every(isRunning)).toBe(true);
  await host.end(true);
  await deaf.host.end(true);
  await t.until(() => !pids.some(isRunning));
});

it("a child that has ended is not asked", async () => {
  await using t = await testWorld();
  const { host, members } = await t.open(
    withTools(
      { go: "const c = spawn('true'); await new Promise((r) => c.on('close', r)); return text(c.pid)" },
      "",
      start("true"),
    ),
  );
  expect(Number(await textOf(callTool(members, "go")))).toBeGreaterThan(1);
  await host.end(true);
});

it("a synchronous child is ended when its call's time is over", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    withTools({ sync: "return text(spawnSync('sleep', ['60']).signal)" }, "", start("true")).replace(
      "async execute",
      "timeoutMs: 300, async execute",
    ),
  );
  expect(await textOf(callTool(members, "sync"))).toBe("SIGKILL");
});

it("a stricter time of the author's stays", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    withTools(
      { sync: "return text(spawnSync('sleep', ['60'], { timeout: 50, killSignal: 'SIGINT' }).signal)" },
      "",
      start("true"),
    ),
  );
  expect(await textOf(callTool(members, "sync"))).toBe("SIGINT");
});

it("a thread inside a native call is a zombie until that call returns, and close says so", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    `import { spawnSync } from "node:child_process";
     export default { name: "a", version: "1.0.0", hooks: { onTurnStart() { spawnSync("sleep", ["3"], { timeout: 1 << 30, killSignal: "SIGUSR2" }) } },
       tools: [{ name: "sync", description: "", timeoutMs: Infinity, execute() { spawnSync("sleep", ["3.5"]) } }] }`,
  );
  const call = callTool(members, "sync").catch((error: unknown) => error);
  await new Promise((turn) => setTimeout(turn, 200));
  const zombies = await t.world.close();
  expect(zombies).toMatchObject([{ module: "sample" }]);
  expect(String(await call)).toMatch(/unloaded/);
  await t.until(() => t.world.zombies().length === 0);
});
