/** The heap that a session takes while it waits for its first prompt. The process runs with --expose-gc. */
import path from "node:path";
import { figure, valueAtMost } from "../lib/compare.mjs";
import { noOpRuntime } from "../lib/no-op.mjs";
import { freshFolder } from "../lib/place.mjs";

const SESSIONS = 1_000;
/** Sessions before the first look: code is compiled and caches are filled with them. */
const WARM = 50;

export async function measure() {
  const folder = freshFolder("idle");
  const runtime = await noOpRuntime(folder, path.join(folder, "log.db"), "relaxed", { turns: 1, calls: 1 });
  const sessions = [];
  const start = async (count) => {
    for (let index = 0; index < count; index += 1) {
      sessions.push(await runtime.sessions.start({ model: "bench/no-op" }));
    }
  };
  await start(WARM);
  const before = heapBytes();
  await start(SESSIONS);
  const bytes = (heapBytes() - before) / SESSIONS;
  if (sessions.length !== WARM + SESSIONS) throw new Error("a session is missing");
  await runtime.close();
  return [
    figure({ name: "an idle session", unit: "KB of heap", value: bytes / 1_000, goal: valueAtMost(20) }),
  ];
}

function heapBytes() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
