/**
 * The state of a session of 50,000 facts at versions all over it, from stored states and folded from the first fact,
 * against the raw fold: a scan that parses each fact's data.
 */
import { openEventLog } from "../../dist/log/index.js";
import { stateAt } from "../../dist/replay/index.js";
import { bigSession, stream } from "../lib/big-session.mjs";
import { compare, cpuMillisecondsOf, figure, ratioAtMost } from "../lib/compare.mjs";
import { rawScan } from "../lib/raw-log.mjs";
import { scaled } from "../lib/place.mjs";

export async function measure() {
  const file = await bigSession();
  const log = await openEventLog(file, { readOnly: true });
  const scan = rawScan(file, stream);
  const to = scaled(50_000);
  const { facts } = scan.run();
  // The scan reads the whole session, of which this is the first half.
  const floor = async () => ((await cpuMillisecondsOf(() => scan.run())) * to) / facts;
  const without = new Proxy(log, {
    get: (target, name) => {
      if (name === "loadSnapshots") return async () => [];
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  // Each round another version: nothing that was asked for before may help.
  let asked = to;
  const next = () => (asked -= 37);
  const stored = await compare(() => cpuMillisecondsOf(() => stateAt(log, stream, next())), floor);
  const folded = await compare(() => cpuMillisecondsOf(() => stateAt(without, stream, next())), floor);
  scan.close();
  await log.close();
  const note = `${to.toLocaleString("en")} facts, every message`;
  return [
    figure({
      name: "state at a version, from stored states",
      unit: "ms of CPU",
      ...stored,
      goal: ratioAtMost(0.3),
      note: `${note}; aim 50 ms`,
    }),
    figure({
      name: "the same, folded from the first fact",
      unit: "ms of CPU",
      ...folded,
      goal: ratioAtMost(4),
      note: `${note}; aim 1 s`,
    }),
  ];
}
