/**
 * Background runs: what it takes to ask for one, what waiting in line costs, and what their worker takes at rest. The floor
 * of the line is the same work as sessions of the program, eight at a time.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createRuntime } from "../../dist/index.js";
import { compare, figure, median, millisecondsOf, ratioAtMost, valueAtMost } from "../lib/compare.mjs";
import { freshFolder, isShort } from "../lib/place.mjs";

const SLOTS = 8;
const RUNS = isShort ? 16 : 100;
const STARTS = isShort ? 20 : 200;
/** Milliseconds that the model of a run takes: little for work that is given away. */
const WORK_MS = 1_500;
/** Runs that a worker has done before it is watched, each with a command. */
const WORKED = isShort ? 8 : 60;
/** Milliseconds for which a worker at rest is watched. */
const REST_MS = isShort ? 1_000 : 5_000;

const script = {
  path: "work.json",
  text: JSON.stringify({ turns: [{ text: "Done.", delayMs: WORK_MS }] }),
};

const command = { name: "bash", args: { command: "echo worked >> out.txt" } };
const worked = {
  path: "worked.json",
  text: JSON.stringify({ turns: [{ toolCalls: [command] }, { text: "Done." }] }),
};

export async function measure() {
  const [first, next] = await starts();
  const line = await compare(inLine, asSessions, { rounds: isShort ? 1 : 2, warmups: 0 });
  const { megabytes, cpu } = await atRest();
  return [
    figure({ name: "ask for a background run", unit: "ms", value: next, goal: valueAtMost(20) }),
    figure({
      name: "ask for the first one of a process",
      unit: "ms",
      value: first,
      note: "loads what is loaded when it is needed",
    }),
    figure({
      name: `${RUNS} background runs over ${SLOTS} slots`,
      unit: "ms",
      ...line,
      goal: ratioAtMost(1.02),
      note: `floor: the same as sessions, ${SLOTS} at a time`,
    }),
    figure({
      name: `worker at rest after ${WORKED} runs, resident`,
      unit: "MB",
      value: megabytes,
      goal: valueAtMost(120),
    }),
    figure({ name: "worker at rest, processor", unit: "ms a second", value: cpu, goal: valueAtMost(10) }),
  ];
}

function open(folder, background) {
  const config = { lanes: { background: SLOTS }, checkpoints: { export: false } };
  return createRuntime({
    home: folder,
    cwd: folder,
    config,
    env: { PATH: process.env["PATH"] },
    ...background,
  });
}

/** Asks as a command does, beside a worker that is there. */
async function starts() {
  const folder = freshFolder("background-start");
  const runtime = await open(folder, { background: { role: "command" } });
  await runtime.log.acquire("background-worker", "the bench", 600_000);
  const times = [];
  for (let index = 0; index < STARTS; index += 1)
    times.push(await millisecondsOf(() => runtime.background.start("Do it", { script, worker: "detached" })));
  const [first] = times;
  await runtime.close();
  return [first, median(times.slice(1))];
}

async function inLine() {
  const folder = freshFolder("background-line");
  const runtime = await open(folder, {});
  // The first loads what all share.
  await ended(runtime, [await runtime.background.start("Do it", { script })]);
  const took = await millisecondsOf(async () => {
    const asked = [];
    for (let index = 0; index < RUNS; index += 1) asked.push(runtime.background.start("Do it", { script }));
    await ended(runtime, await Promise.all(asked));
  });
  await runtime.close();
  return took;
}

/** Resolves when all have completed. */
async function ended(runtime, runs) {
  const open = new Set(runs.map(({ id }) => `background-${id}`));
  await new Promise((resolve, reject) => {
    const following = runtime.log.follow({ streams: "background-" }).subscribe({
      next: ({ stream, type }) => {
        if (/\.(failed|lost|timed_out)$/.test(type)) reject(new Error(`${stream}: ${type}`));
        if (type === "background_run.completed") open.delete(stream);
        if (open.size > 0) return;
        following.unsubscribe();
        resolve();
      },
      error: reject,
    });
    const alive = setInterval(() => open.size === 0 && clearInterval(alive), 100);
  });
}

async function asSessions() {
  const folder = freshFolder("background-floor");
  const runtime = await open(folder, {});
  const work = async () => {
    const session = await runtime.sessions.start({ script });
    await session.prompt("Do it");
    await session.shutdown();
  };
  await work();
  const took = await millisecondsOf(async () => {
    let left = RUNS;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    };
    await Promise.all(Array.from({ length: SLOTS }, lane));
  });
  await runtime.close();
  return took;
}

/** The worker that a command started, once it has done some work and has no more. */
async function atRest() {
  const folder = freshFolder("background-worker");
  const runtime = await open(folder, { background: { role: "command" } });
  const asked = [];
  for (let index = 0; index < WORKED; index += 1)
    asked.push(await runtime.background.start("Do it", { script: worked, worker: "detached" }));
  await ended(runtime, asked);
  const { owner } = await runtime.log.holderOf("background-worker");
  await runtime.close();
  const pid = Number(owner.split(":")[0]);
  try {
    await sleep(isShort ? 2_000 : 5_000);
    const before = ticksOf(pid);
    await sleep(REST_MS);
    // Ticks of a hundredth of a second: proc_pid_stat(5), fields 14 and 15.
    const cpu = ((ticksOf(pid) - before) * 10) / (REST_MS / 1_000);
    return { megabytes: residentOf(pid), cpu };
  } finally {
    process.kill(pid, "SIGTERM");
  }
}

function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1_024;
}
