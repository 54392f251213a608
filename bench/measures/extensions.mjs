/** What extensions cost beside bare worker threads: to start, to call, to ask, to reload. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { createRuntime, scriptedModel } from "../../dist/index.js";
import { bareWorker, inFours, roundTrip } from "../lib/bare-worker.mjs";
import { compare, figure, millisecondsOf, ratioAtMost, valueAtMost } from "../lib/compare.mjs";
import { freshFolder, isShort, scaled } from "../lib/place.mjs";
import { loadAll, twoHosts, writeExtensions } from "../subjects/extensions.mjs";

const EXTENSIONS = 20;
const payload = "x".repeat(500);

export async function measure() {
  return [...(await starting()), ...(await calling()), ...(await reloading())];
}

/** Twenty that are bundled anew, in a fresh cache and in one that has them, beside twenty bare workers. */
async function starting() {
  const folder = freshFolder("extensions");
  const sources = path.join(folder, "sources");
  writeExtensions(sources, EXTENSIONS);
  const bare = async () => {
    let workers = [];
    const spent = await millisecondsOf(async () => (workers = await inFours(EXTENSIONS, bareWorker)));
    await Promise.all(workers.map((worker) => worker.terminate()));
    return spent;
  };
  const load = (home) => async () => {
    let loaded;
    const spent = await millisecondsOf(async () => (loaded = await loadAll(home(), sources)));
    if (loaded.count !== EXTENSIONS) throw new Error(`${loaded.count} extensions loaded`);
    await loaded.runtime.close();
    return spent;
  };
  const rounds = { rounds: isShort ? 1 : 5 };
  const cold = await compare(
    load(() => freshFolder("home")),
    bare,
    rounds,
  );
  const home = freshFolder("home");
  const warm = await compare(
    load(() => home),
    bare,
    rounds,
  );
  const goal = ratioAtMost(1.5);
  const note = "floor: twenty bare workers, four at a time";
  return [
    figure({ name: "twenty extensions, cold", unit: "ms", ...cold, goal, note }),
    figure({ name: "twenty extensions, warm", unit: "ms", ...warm, goal, note }),
  ];
}

async function calling() {
  const { worker, inProcess, close } = await twoHosts(freshFolder("hosts"), 10);
  const bare = await bareWorker();
  const calls = scaled(2_000);
  const each = (run) => async () => {
    const spent = await millisecondsOf(async () => {
      for (let index = 0; index < calls; index += 1) await run();
    });
    return (spent / calls) * 1_000;
  };
  const context = { sessionId: "s", cwd: "/", config: {}, log: console };
  const call = (members) => () =>
    members.tools[0].execute("c", { text: payload }, new AbortController().signal, () => undefined, context);
  const options = { handlerMs: 60_000, eventMs: null, untilBlocked: true };
  const event = { toolCallId: "c", toolName: "t", args: { text: payload }, cwd: "/", sessionId: "s" };
  const ask = (members) => () => members.runHooks("onToolCall", [event], options);
  const text = JSON.stringify(event);
  const trip = each(() => roundTrip(bare, text));
  const tenTrips = each(async () => {
    for (let index = 0; index < 10; index += 1) await roundTrip(bare, text);
  });

  const inWorker = await compare(each(call(worker)), trip);
  const here = await compare(each(call(inProcess)), trip);
  const more = inWorker.ratio - here.ratio;
  const hooks = await compare(each(ask(worker)), trip);
  const hooksOfTen = await compare(each(ask(worker)), tenTrips, { rounds: 3 });
  const loop = await compare(
    each(ask(inProcess)),
    each(async () => {
      for (let index = 0; index < 10; index += 1) await Promise.resolve(undefined);
    }),
  );
  await close();
  await bare.terminate();
  return [
    figure({
      name: "a tool call in a worker, over one in process",
      unit: "round trips",
      value: more,
      goal: valueAtMost(2),
      note: `${inWorker.value.toFixed(0)} us against ${here.value.toFixed(0)} us`,
    }),
    figure({
      name: "ten handlers of one worker",
      unit: "us",
      ...hooks,
      goal: ratioAtMost(3),
      note: "floor: a round trip",
    }),
    figure({ name: "the same beside ten round trips", unit: "us", ...hooksOfTen, goal: ratioAtMost(0.35) }),
    figure({
      name: "ten handlers in process",
      unit: "us",
      ...loop,
      goal: ratioAtMost(8),
      note: "floor: ten awaits",
    }),
  ];
}

/** Reloads of a session: nothing of them may stay. */
async function reloading() {
  const folder = freshFolder("reloads");
  const sources = path.join(folder, "sources");
  writeExtensions(sources, 1);
  const config = { runtime: { extensionPaths: [sources] } };
  const models = { s: scriptedModel([]) };
  const runtime = await createRuntime({ home: folder, cwd: folder, log: ":memory:", models, config });
  const session = await runtime.sessions.start({ model: "s/m" });
  const reload = async (count) => {
    for (let index = 0; index < count; index += 1) await session.reloadExtensions();
  };
  await reload(scaled(50));
  const before = usage();
  const count = scaled(200);
  const spent = await millisecondsOf(() => reload(count));
  const after = usage();
  await runtime.close();
  return [
    figure({ name: "a reload", unit: "ms", value: spent / count }),
    figure({
      name: "threads after the reloads",
      unit: "more",
      value: after.threads - before.threads,
      goal: valueAtMost(0),
    }),
    figure({
      name: "open files after the reloads",
      unit: "more",
      value: after.files - before.files,
      goal: valueAtMost(0),
    }),
    figure({
      name: "memory after the reloads",
      unit: "KB a reload",
      value: (after.rss - before.rss) / count / 1_000,
      goal: valueAtMost(100),
    }),
  ];
}

function usage() {
  globalThis.gc();
  globalThis.gc();
  const count = (of) => readdirSync(`/proc/self/${of}`).length;
  return { threads: count("task"), files: count("fd"), rss: process.memoryUsage().rss };
}
