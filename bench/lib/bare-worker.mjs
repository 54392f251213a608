/** The floor of extensions: a worker thread of an ES module, as small as can be. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const file = new URL("../subjects/bare-worker.mjs", import.meta.url);

/** A bare worker that has said that it runs. */
export async function bareWorker() {
  const worker = new Worker(file, { execArgv: [], stdout: true, stderr: true });
  await once(worker, "message");
  return worker;
}

/** Some at a time, all of them awaited: four, as evaluations of extensions are. */
export async function inFours(count, start) {
  const started = [];
  const next = async () => {
    for (let index = started.length; index < count; index = started.length) {
      started.push(undefined);
      started[index] = await start(index);
    }
  };
  await Promise.all([next(), next(), next(), next()]);
  return started;
}

/** One text there and back. */
export function roundTrip(worker, text) {
  return new Promise((resolve) => {
    worker.once("message", resolve);
    worker.postMessage(text);
  });
}
