/**
 * The inspector over a long session: the first answer, which reads the session, against a raw scan that parses each fact's
 * data; and states and messages at random versions over HTTP, against the smallest answer of the same server.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Inspector } from "../../dist/inspector/index.js";
import { openEventLog } from "../../dist/log/index.js";
import { systemClock } from "../../dist/runtime/index.js";
import { bigSession, sessionId, stream } from "../lib/big-session.mjs";
import { compare, figure, median, millisecondsOf, ratioAtMost, valueAtMost } from "../lib/compare.mjs";
import { rawScan } from "../lib/raw-log.mjs";

const POSITIONS = 150;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const fork = () => Promise.reject(new Error("nothing is forked here"));

export async function measure() {
  const file = await bigSession();
  const log = await openEventLog(file, { readOnly: true });
  const scan = rawScan(file, stream);
  const { facts } = scan.run();
  const heapBefore = heapUsedMiB();
  const first = await compare(
    async () => {
      const inspector = await Inspector.listen({ log, clock: systemClock, logger: silent, fork });
      const took = await millisecondsOf(() => ask(inspector, ""));
      await inspector.close();
      return took;
    },
    () => millisecondsOf(() => scan.run()),
    { rounds: 3 },
  );
  scan.close();
  const inspector = await Inspector.listen({ log, clock: systemClock, logger: silent, fork });
  const { version } = await ask(inspector, "");
  const [states, messages, floor] = [[], [], []];
  for (let at = 0; at < POSITIONS; at += 1) {
    // The same positions in every run, without an order to them.
    const position = 1 + ((at * 7_919_237) % version);
    states.push(await millisecondsOf(() => ask(inspector, `/state?at=${position}`)));
    messages.push(await millisecondsOf(() => ask(inspector, `/messages?at=${position}&limit=30`)));
    floor.push(await millisecondsOf(() => ask(inspector, "/facts?limit=1")));
  }
  const heapMiB = heapUsedMiB() - heapBefore;
  const filtered = await millisecondsOf(() => ask(inspector, "/facts/matching?filter=nothing-like-it"));
  const drawn = await millisecondsOf(() => ask(inspector, "/timeline?buckets=400"));
  await inspector.close();
  await log.close();
  const note = `${facts.toLocaleString("en")} facts`;
  return [
    figure({ name: "inspector: first answer", unit: "ms", ...first, goal: ratioAtMost(8), note }),
    scrubbed("state", states, floor),
    scrubbed("messages", messages, floor),
    figure({ name: "inspector: filter that matches nothing", unit: "ms", value: filtered, note }),
    figure({ name: "inspector: timeline of 400 buckets", unit: "ms", value: drawn, note }),
    figure({
      name: "inspector: heap for the session",
      unit: "MiB",
      value: heapMiB,
      note: "columns, ledgers, kept views and messages shown last",
    }),
  ];
}

async function ask({ url, port }, question) {
  const headers = { Authorization: `Bearer ${url.split("token=")[1]}` };
  const response = await fetch(`http://127.0.0.1:${port}/api/sessions/${sessionId}${question}`, { headers });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${question}: ${JSON.stringify(answer)}`);
  return answer;
}

function scrubbed(what, times, floor) {
  return figure({
    name: `inspector: ${what} at a random version, p95`,
    unit: "ms",
    value: p95(times),
    floor: median(floor),
    ratio: p95(times) / median(floor),
    goal: valueAtMost(33),
    note: `median ${median(times).toFixed(1)} ms, over HTTP`,
  });
}

/** What is in use and not merely waiting to be collected. */
function heapUsedMiB() {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 1_048_576;
}

function p95(times) {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
}
