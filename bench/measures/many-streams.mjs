/**
 * 128 streams, each appending one fact after the other, strict, against better-sqlite3 alone with one strict commit
 * per fact: what a program does that has no log to group for it.
 */
import path from "node:path";
import { openEventLog } from "../../dist/log/index.js";
import { compare, figure, rateOf, ratioAtLeast } from "../lib/compare.mjs";
import { factsFrom } from "../lib/facts.mjs";
import { freshFolder, scaled } from "../lib/place.mjs";
import { RawLog } from "../lib/raw-log.mjs";

const STREAMS = 128;

export async function measure() {
  const folder = freshFolder("many");
  const perStream = scaled(40);
  const commits = scaled(400);
  const log = await openEventLog(path.join(folder, "log.db"), { durability: "strict" });
  const raw = new RawLog(path.join(folder, "raw.db"), "strict");
  let version = 0;
  let written = 0;
  const measured = await compare(
    async () => {
      const facts = Array.from({ length: STREAMS }, () => factsFrom(version, perStream));
      const rate = await rateOf(STREAMS * perStream, () =>
        Promise.all(facts.map((own, stream) => appendEach(log, `s${stream}`, version, own))),
      );
      version += perStream;
      return rate;
    },
    () => {
      const facts = factsFrom(written, commits);
      return rateOf(commits, () => {
        for (const fact of facts) {
          raw.append(1, written, [fact]);
          written += 1;
        }
      });
    },
  );
  await log.close();
  raw.close();
  return [
    figure({
      name: `${STREAMS} streams appending, strict`,
      unit: "facts/s",
      ...measured,
      goal: ratioAtLeast(6),
      note: "aim 12",
    }),
  ];
}

async function appendEach(log, stream, version, facts) {
  let at = version;
  for (const fact of facts) {
    await log.append(stream, at, [fact]);
    at += 1;
  }
}
