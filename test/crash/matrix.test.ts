/**
 * The crash matrix. In the full form (npm run soak) every boundary and 200 random moments, else a sample of them.
 * LEMON_CRASH_PAGE names a file to write the page to; scripts/crash-matrix.mjs sets it.
 */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../src/events/index.ts";
import { carryOutAll, undisturbed, type Kill, type Verdict } from "./kills.ts";
import { boundaryKills, doubleKills, randomKills, sample, seenKills, type Baselines } from "./plan.ts";
import { rounds, soak } from "../support/soak.ts";
import { scenarios } from "./scenarios.ts";
import { renderPage, renderSummary } from "./table.ts";
import { privateBuild } from "./victim.ts";

const seed = 20;
/** The short form takes about 30 s on two idle cores; a machine that does other work as well needs longer. */
const timeout = soak === "short" ? 120_000 : 3_600_000;
const build = privateBuild("crash");
const verdicts: Verdict[] = [];
let baselines: Baselines = new Map();

beforeAll(async () => {
  const entries = [];
  for (const scenario of scenarios)
    entries.push([scenario.name, await undisturbed(build.dist, scenario)] as const);
  baselines = new Map(entries);
}, timeout);

afterAll(() => {
  build.remove();
  process.stdout.write(`${renderSummary(verdicts)}\n`);
  const page = process.env["LEMON_CRASH_PAGE"];
  if (page !== undefined) writeFileSync(page, renderPage(verdicts, seed));
});

async function survives(kills: readonly Kill[]): Promise<Verdict[]> {
  const found = await carryOutAll(kills, build.dist, { atOnce: 2 });
  verdicts.push(...found);
  const broken = found.filter((verdict) => verdict.broken.length > 0);
  expect(broken.map(({ kill, broken: why }) => ({ ...kill, scenario: kill.scenario.name, why }))).toEqual([]);
  return found;
}

const some = (kills: readonly Kill[], short: number, long: number): readonly Kill[] =>
  sample(kills, rounds(short, long, kills.length));

describe("a session whose process is killed goes on to the same end", { timeout }, () => {
  test("around every commit", async () => {
    const found = await survives(some(boundaryKills(baselines), 7, 40));
    // Two inputs of one moment may share a commit, so now and then a session has one fewer than it had undisturbed.
    const missed = found.filter(({ wasKilled }) => !wasKilled).length;
    expect(missed).toBeLessThanOrEqual(scenarios.length);
  });

  test("again, while it is being resumed", async () => {
    await survives(some(doubleKills(baselines), 2, 10));
  });

  test("when another process sees the first fact of each kind", async () => {
    await survives(some(seenKills(baselines), 2, 10));
  });

  test("at random moments", async () => {
    await survives(randomKills(baselines, rounds(3, 40, 200), seed));
  });
});

test("the scenarios record every kind of fact of a session", () => {
  const recorded = new Set([...baselines.values()].flatMap(({ commits }) => commits.flat()));
  const missing = Object.keys(catalogue).filter(
    // What the harness writes for callers, forks, tasks, side queries and background runs have crash tests of their own.
    (type) =>
      !recorded.has(type) &&
      type !== "session.forked" &&
      !/^(child|supervisor|extensions?|tool|provider|todos|features?|feature_file|checkpoint|introspection|subagent|side_query|background_run)\./.test(
        type,
      ),
  );
  // Those exist only after a kill, or when an abort meets a model that is being asked.
  expect(missing.sort()).toEqual([
    "compaction.lost",
    "model.cancelled",
    "model.lost",
    "tool_call.interrupted",
  ]);
});
