/**
 * Appending through the log (checks, schemas, hash chain, group commit, promises) against the same rows through
 * better-sqlite3 alone. Both make the data's JSON text; the floor does nothing else.
 */
import path from "node:path";
import { openEventLog } from "../../dist/log/index.js";
import { compare, figure, rateOf, ratioAtLeast } from "../lib/compare.mjs";
import { factsFrom } from "../lib/facts.mjs";
import { freshFolder, scaled } from "../lib/place.mjs";
import { RawLog } from "../lib/raw-log.mjs";

const cases = [
  { perCommit: 1, commits: { strict: 400, relaxed: 4_000 }, goal: 0.7 },
  { perCommit: 100, commits: { strict: 80, relaxed: 80 }, goal: 0.55 },
];

export async function measure() {
  const figures = [];
  for (const { perCommit, commits, goal } of cases) {
    for (const durability of ["strict", "relaxed"]) {
      const measured = await appendRate(durability, perCommit, scaled(commits[durability]));
      figures.push(
        figure({
          name: `append, ${perCommit} a commit, ${durability}`,
          unit: "facts/s",
          ...measured,
          goal: ratioAtLeast(goal),
        }),
      );
    }
  }
  return figures;
}

async function appendRate(durability, perCommit, commits) {
  const folder = freshFolder("append");
  const log = await openEventLog(path.join(folder, "log.db"), { durability });
  const raw = new RawLog(path.join(folder, "raw.db"), durability);
  const count = perCommit * commits;
  let ours = 0;
  let floors = 0;
  try {
    return await compare(
      () => {
        const batches = batchesFrom(ours, perCommit, commits);
        return rateOf(count, async () => {
          for (const facts of batches) {
            await log.append("s1", ours, facts);
            ours += facts.length;
          }
        });
      },
      () => {
        const batches = batchesFrom(floors, perCommit, commits);
        return rateOf(count, () => {
          for (const facts of batches) {
            raw.append(1, floors, facts);
            floors += facts.length;
          }
        });
      },
    );
  } finally {
    await log.close();
    raw.close();
  }
}

/** Made before the clock starts. */
function batchesFrom(from, perCommit, commits) {
  return Array.from({ length: commits }, (_, index) => factsFrom(from + index * perCommit, perCommit));
}
