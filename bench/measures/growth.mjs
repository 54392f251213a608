/**
 * Does the log get slower as it grows? The facts around number 100,000 of a stream against those around number 1,000,
 * in windows of a thousand, one fact a commit, relaxed so that the disk's own noise does not hide the difference.
 */
import path from "node:path";
import { openEventLog } from "../../dist/log/index.js";
import { compare, cpuMillisecondsOf, figure, ratioAtMost } from "../lib/compare.mjs";
import { factsFrom } from "../lib/facts.mjs";
import { freshFolder, isShort, scaled } from "../lib/place.mjs";

const WINDOW = 1_000;

export async function measure() {
  const grown = scaled(100_000);
  const large = await logOf(grown);
  let version = grown;
  const measured = await compare(
    async () => {
      const milliseconds = await appendWindow(large, version);
      version += WINDOW;
      return milliseconds;
    },
    async () => {
      const small = await logOf(WINDOW / 2);
      const milliseconds = await appendWindow(small, WINDOW / 2);
      await small.close();
      return milliseconds;
    },
    isShort ? { rounds: 5 } : { rounds: 15, warmups: 3 },
  );
  await large.close();
  return [
    figure({
      name: `fact ${grown.toLocaleString("en")} over fact 1,000`,
      unit: `ms of CPU per ${WINDOW} facts`,
      ...measured,
      goal: ratioAtMost(1.05),
    }),
  ];
}

async function logOf(facts) {
  const log = await openEventLog(path.join(freshFolder("growth"), "log.db"), { durability: "relaxed" });
  for (let from = 0; from < facts; from += 250) {
    await log.append("s1", from, factsFrom(from, Math.min(250, facts - from)));
  }
  return log;
}

function appendWindow(log, version) {
  const facts = factsFrom(version, WINDOW);
  return cpuMillisecondsOf(async () => {
    for (const [index, fact] of facts.entries()) await log.append("s1", version + index, [fact]);
  });
}
