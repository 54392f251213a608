/**
 * Background runs while everything that works on them is killed at random: the worker, the programs that asked for them,
 * both. Fails when one run is lost, run twice, told wrongly, or leaves a process behind.
 *
 *   node scripts/soak/background.mjs [RUNS [SECONDS [SEED]]]     default 200 runs over 300 seconds
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createRuntime } from "../../dist/index.js";
import { judge } from "./judge.mjs";
import { pick, planOf, randomOf } from "./plan.mjs";

const [runs = 200, seconds = 300, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const random = randomOf(seed);
const home = mkdtempSync(path.join(tmpdir(), "lemon-soak-"));
const workspace = path.join(home, "workspace");
const counters = path.join(home, "counters");
for (const folder of [workspace, counters]) mkdirSync(folder);
process.stdout.write(`${runs} runs over ${seconds} s, seed ${seed}\n`);

const ids = [];
const kills = { worker: 0, parent: 0, both: 0 };
let cancels = 0;
let lies = 0;
const plans = Array.from({ length: runs }, (_, index) => planOf(random, `run${index}`, counters));
const began = performance.now();
const elapsed = () => (performance.now() - began) / 1_000;

const runtime = await createRuntime({ home, cwd: workspace, background: { role: "command" } });
let parent = startParent();
const killing = killAtRandom();
await askForAll();
await waitForAll();
await killing;
await endParent();
const { faults, figures } = await judged();
await endWorker();
const holder = await runtime.log.holderOf("background-worker");
if (holder !== null) faults.push(`the worker's lease is still held by ${holder.owner}`);
await runtime.close();
const report = {
  runs,
  seconds: Math.round(elapsed()),
  seed,
  kills,
  cancels,
  lies,
  ...figures,
  faults: faults.length,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
for (const fault of faults.slice(0, 50)) process.stdout.write(`FAULT ${fault}\n`);
if (faults.length === 0 && lies === 0) rmSync(home, { recursive: true, force: true });
else process.stdout.write(`kept: ${home}\n`);
process.exit(faults.length === 0 && lies === 0 ? 0 : 1);

/** A program that asks for runs; what it says of them is taken down, and what it did not get to say is found in the log. */
function startParent() {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "parent.mjs"), home, workspace], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, "exit");
  const ready = Promise.race([once(lines, "line"), exited]);
  return { child, exited, ready, isOver: () => child.exitCode !== null || child.signalCode !== null };
}

async function askForAll() {
  const pace = (seconds * 0.8 * 1_000) / runs;
  for (const plan of plans) {
    while (parent.isOver()) parent = startParent();
    await parent.ready;
    parent.child.stdin.write(`${JSON.stringify(plan)}\n`);
    await sleep(pace * (0.5 + random()));
  }
}

/** Until every run that was asked for has ended, and the time is over. Those that a killed parent lost never were runs. */
async function waitForAll() {
  for (;;) {
    await sleep(300);
    const { runs: known } = await runtime.background.list({ limit: 1_000 });
    const open = known.filter(({ status }) => status === "queued" || status === "running");
    await lookForLies(open);
    if (elapsed() > seconds && open.length === 0) break;
    if (elapsed() > seconds * 3) break;
    if (parent.isOver()) parent = startParent();
  }
  const { runs: known } = await runtime.background.list({ limit: 1_000 });
  ids.push(...known.map(({ id }) => id));
  // What ended runs left is stopped within seconds.
  for (let tries = 0; tries < 100 && (await runtime.log.jobs("background")).length > 0; tries += 1) {
    await runtime.background.list();
    await sleep(200);
  }
}

/** Who is named as the owner of a running run has to be alive, or have died within one expiry. */
async function lookForLies(open) {
  for (const { id, owner } of open.filter(({ status }) => status === "running")) {
    if (owner === null || isAlive(owner.pid)) continue;
    const again = await runtime.background.status(id);
    if (again.status === "running" && again.owner?.pid === owner.pid) lies += 1;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function killAtRandom() {
  while (elapsed() < seconds) {
    await sleep(Math.min(2_000 + random() * 4_000, Math.max(0, seconds * 1_000 - elapsed() * 1_000) + 1));
    const what = pick(random, ["worker", "parent", "both", "cancel", "cancel"]);
    if (what === "cancel") await cancelOne();
    else {
      kills[what] += 1;
      if (what !== "worker") parent.child.kill("SIGKILL");
      if (what !== "parent") await killWorker("SIGKILL");
    }
  }
}

async function cancelOne() {
  const { runs: known } = await runtime.background.list({ limit: 1_000 });
  const open = known.filter(({ status }) => status === "queued" || status === "running");
  if (open.length === 0) return;
  const { id } = pick(random, open);
  if ((await runtime.background.cancel(id, "for the sake of it")).cancelled) cancels += 1;
}

async function killWorker(signal) {
  const holder = await runtime.log.holderOf("background-worker");
  const pid = Number(holder?.owner.split(":")[0]);
  if (!(pid > 0)) return null;
  try {
    process.kill(pid, signal);
  } catch {
    return null;
  }
  return pid;
}

async function endParent() {
  parent.child.stdin.end();
  parent.child.kill("SIGTERM");
  await parent.exited;
}

async function endWorker() {
  const pid = await killWorker("SIGTERM");
  while (pid !== null && isAlive(pid)) await sleep(50);
}

async function judged() {
  const result = await judge(runtime, ids, counters);
  if (ids.length === 0) result.faults.push("there was no run");
  return result;
}
