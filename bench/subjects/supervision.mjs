/**
 * What supervision costs, as ratios to floors that are measured in the same run. Times are CPU time of this process, which
 * neighbours on a busy machine do not stretch. Memory is measured only with --expose-gc.
 */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { createActor, createMachine, fromTransition } from "xstate";
import { exitLatch, startDynamicSupervisor, startSupervisor } from "../../dist/supervision/index.js";
/** @param size - 1 for the whole, less for a quick look */
export async function measureSupervision(size = 1) {
  return [
    ...(await scale("static", startSupervisor, size)),
    ...(await scale("dynamic", startDynamicSupervisor, size)),
    ...(await memory(size)),
    ...(await messages("a plain reducer", reducer, size)),
    ...(await messages("a machine", machine, size)),
    await restarts(size),
  ];
}
/** The least that a child can be. */
function bareChild() {
  const latch = exitLatch();
  return {
    exited: latch.exited,
    shutdown: () => latch.settle({ kind: "shutdown" }),
    kill: () => latch.settle({ kind: "killed" }),
    crash: () => void latch.settle({ kind: "crash" }),
  };
}
/**
 * Start and stop of a child among many, against the same among 1,000: one life each, first the few and then the many, as
 * OTP's own suite does it. The second figure is the same with both sides warm, where what is left of the difference is the
 * collector: 1,000 children are gone before it has looked at them once, 100,000 are copied twice.
 */
async function scale(kind, make, size) {
  const many = 100_000 * size;
  const few = 1_000;
  const life = (count) =>
    cpuMs(async () => {
      const supervisor = await make({});
      for (let id = 0; id < count; id += 1) await supervisor.startChild({ id, start: bareChild });
      await supervisor.shutdown();
    });
  const first = (await life(few)) / few;
  const second = (await life(many)) / many;
  const small = async () => {
    let spentMs = 0;
    for (let round = 0; round < many / few; round += 1) spentMs += await life(few);
    return spentMs / many;
  };
  const { value, floor } = await inTurns(async () => (await life(many)) / many, small, Math.min);
  const name = `start and stop of a ${kind} child among ${many.toLocaleString("en")}, against 1,000`;
  const figure = (title, manyMs, fewMs) => ({
    name: title,
    unit: "µs",
    value: manyMs * 1000,
    floor: fewMs * 1000,
    ratio: manyMs / fewMs,
  });
  return [
    { ...figure(name, second, first), goal: { of: "ratio", atMost: 1.5 } },
    { ...figure(`${name}, warm`, value, floor), goal: { of: "ratio", atMost: 1.5 } },
  ];
}
/** Heap that a child takes beyond its own. */
async function memory(size) {
  const collect = globalThis.gc;
  if (collect === undefined) return [];
  const heap = () => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const count = 50_000 * size;
  const supervisor = await startDynamicSupervisor({});
  const children = Array.from({ length: count }, bareChild);
  const before = heap();
  for (const child of children) await supervisor.startChild({ start: () => child });
  const bytes = (heap() - before) / count;
  await supervisor.shutdown();
  assert.equal(children.length, count);
  return [
    {
      name: "heap of a child beyond its own",
      unit: "bytes",
      value: bytes,
      floor: null,
      ratio: null,
      goal: { of: "value", atMost: 4096 },
    },
  ];
}
const reducer = fromTransition((count, event) => (event.type === "next" ? count + 1 : count), 0);
const machine = createMachine({
  initial: "red",
  states: { red: { on: { next: "green" } }, green: { on: { next: "red" } } },
});
/** Messages a second through a supervised actor, against `send` on the bare one. */
async function messages(what, logic, size) {
  const count = 200_000 * size;
  const burst = 2_000;
  const supervisor = await startSupervisor({ children: [{ id: "actor", start: logic }] });
  const child = (await supervisor.whichChild("actor")).child;
  const bare = createActor(logic);
  bare.subscribe({ error: () => undefined });
  bare.start();
  const ms = (perRun) => async () =>
    cpuMs(async () => {
      for (let sent = 0; sent < count; sent += burst) await perRun(burst);
    });
  const supervised = ms(async (of) => {
    for (let index = 0; index < of; index += 1) void child.send({ type: "next" });
    while (child.mailboxLength > 0) await turn();
  });
  const direct = ms(async (of) => {
    for (let index = 0; index < of; index += 1) bare.send({ type: "next" });
    await turn();
  });
  const { value, floor } = await inTurns(supervised, direct, Math.min);
  await supervisor.shutdown();
  bare.stop();
  const rate = (spentMs) => (count / spentMs) * 1000;
  const figure = {
    name: `messages through ${what}`,
    unit: "a second",
    value: rate(value),
    floor: rate(floor),
    ratio: floor / value,
  };
  const isReducer = logic === reducer;
  return [{ ...figure, goal: isReducer ? { of: "value", atLeast: 500_000 } : { of: "ratio", atLeast: 0.9 } }];
}
/** Our own work between a crash and the next instance. */
async function restarts(size) {
  const count = 20_000 * size;
  let current = bareChild();
  const start = () => (current = bareChild());
  const supervisor = await startSupervisor({ intensity: 1e9, children: [{ id: "flaky", start }] });
  const run = async () =>
    cpuMs(async () => {
      for (let crash = 0; crash < count; crash += 1) {
        const before = current;
        before.crash();
        while (current === before) await Promise.resolve();
      }
    });
  const spent = Math.min(await run(), await run(), await run());
  await supervisor.shutdown();
  return {
    name: "crash and restart",
    unit: "µs",
    value: (spent / count) * 1000,
    floor: null,
    ratio: null,
    goal: { of: "value", atMost: 50 },
  };
}
/** Both sides several times, by turns, so that a drift of the machine meets both. */
async function inTurns(a, b, best) {
  await b(); // warm
  await a();
  const values = [];
  const floors = [];
  for (let round = 0; round < 3; round += 1) {
    floors.push(await b());
    values.push(await a());
  }
  return { value: best(...values), floor: best(...floors) };
}
async function cpuMs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
