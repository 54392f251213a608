/**
 * A whole turn (the model answers with a call, the tool runs, the next request goes out) with a model and a tool that
 * do nothing, against its own commits: the rows that it recorded, as many in each transaction, through better-sqlite3
 * alone. Rows of the floor are ready beforehand, text and all.
 */
import path from "node:path";
import { compare, figure, millisecondsOf, ratioAtMost } from "../lib/compare.mjs";
import { noOpRuntime } from "../lib/no-op.mjs";
import { freshFolder, scaled } from "../lib/place.mjs";
import { RawLog } from "../lib/raw-log.mjs";

const goals = { strict: 3, relaxed: 4.5 };

export async function measure() {
  const figures = [];
  for (const durability of ["strict", "relaxed"]) {
    const turns = 50;
    const runs = scaled(10);
    const folder = freshFolder("turn");
    const runtime = await noOpRuntime(folder, path.join(folder, "log.db"), durability, { turns, calls: 1 });
    const raw = new RawLog(path.join(folder, "raw.db"), durability);
    const commits = await commitsOfOneRun(runtime);
    let run = 0;
    const measured = await compare(
      async () => {
        // A session each: what a turn costs grows with its transcript, and fifty calls are a usual one.
        const sessions = [];
        for (let index = 0; index < runs; index += 1) {
          sessions.push(await runtime.sessions.start({ model: "bench/no-op" }));
        }
        const milliseconds = await millisecondsOf(async () => {
          for (const session of sessions) await session.prompt("Look at all files.");
        });
        return (milliseconds / turns / runs) * 1_000;
      },
      async () => {
        const rows = [];
        for (let index = 0; index < runs; index += 1) {
          run += 1;
          for (const commit of commits) rows.push(commit.map((row) => [run, ...row]));
        }
        const milliseconds = await millisecondsOf(() => {
          for (const commit of rows) raw.commit(commit);
        });
        return (milliseconds / turns / runs) * 1_000;
      },
      { rounds: 7, warmups: 4 },
    );
    await runtime.close();
    raw.close();
    const facts = commits.flat().length / turns;
    figures.push(
      figure({
        name: `a turn over its commits, ${durability}`,
        unit: "µs",
        ...measured,
        goal: ratioAtMost(goals[durability]),
        note: `aim ${durability === "strict" ? 2 : 3}; ${facts.toFixed(1)} facts, ${(commits.length / turns).toFixed(1)} commits a turn`,
      }),
    );
  }
  return figures;
}

/** With one call at a time, each input has begun a commit of its own. */
async function commitsOfOneRun(runtime) {
  const session = await runtime.sessions.start({ model: "bench/no-op" });
  await session.prompt("Look at all files.");
  const commits = [];
  for await (const page of runtime.log.readStored(`session-${session.id}`)) {
    for (const fact of page) {
      if (fact.type === "session.started") continue;
      const { version, type, schemaVersion, at, kind, actor, causation, correlation, text, hash } = fact;
      if (kind === "input") commits.push([]);
      commits
        .at(-1)
        .push([version, type, schemaVersion, at, kind, actor, causation, correlation, text, hash]);
    }
  }
  return commits;
}
