/** Which kills: at every boundary of every scenario, at each kind of fact seen from outside, and at random moments. */
import { scenarios, type Scenario } from "./scenarios.ts";
import type { Kill } from "./kills.ts";

/** What an undisturbed run of each scenario records, by name. */
export type Baselines = ReadonlyMap<
  string,
  { readonly commits: readonly (readonly string[])[]; readonly ms: number }
>;

/** Right before and right after each commit. */
export function boundaryKills(baselines: Baselines): Kill[] {
  return each(baselines, (scenario, { commits }) =>
    commits.flatMap((_types, index) =>
      (["before", "after"] as const).map((moment) => ({
        how: "boundary",
        scenario,
        points: [{ append: index + 1, moment }],
      })),
    ),
  );
}

/** Killed while something was open, and killed again right before and after the first commits of the resume. */
export function doubleKills(baselines: Baselines): Kill[] {
  return each(baselines, (scenario, { commits }) =>
    commits.flatMap((types, index) => {
      const leavesOpen = [
        "model.requested",
        "compaction.requested",
        "tool_call.process_started",
        "approval.requested",
        "model.retry_scheduled",
      ];
      if (!leavesOpen.includes(types.at(-1) ?? "")) return [];
      const first = { append: index + 1, moment: "after" } as const;
      return (["before", "after"] as const).map((moment) => ({
        how: "boundary",
        scenario,
        points: [first, { append: 1, moment }],
      }));
    }),
  );
}

/** At the first fact of each kind, as another process sees it. */
export function seenKills(baselines: Baselines): Kill[] {
  const known = new Set<string>();
  return each(baselines, (scenario, { commits }) =>
    commits.flat().flatMap((type) => {
      if (known.has(type)) return [];
      known.add(type);
      return [{ how: "seen", scenario, type }];
    }),
  );
}

/** At moments that only the seed knows, spread over the whole run of the longest scenario. */
export function randomKills(baselines: Baselines, count: number, seed: number): Kill[] {
  const [scenario] = scenarios;
  const ms = scenario === undefined ? 0 : (baselines.get(scenario.name)?.ms ?? 0);
  if (scenario === undefined) return [];
  const random = randomOf(seed);
  return Array.from({ length: count }, () => ({ how: "random", scenario, afterMs: random() * ms }));
}

/** `count` of them, evenly spread. */
export function sample<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_item, index) => index % step < 1);
}

function each(
  baselines: Baselines,
  killsOf: (scenario: Scenario, baseline: { readonly commits: readonly (readonly string[])[] }) => Kill[],
): Kill[] {
  return scenarios.flatMap((scenario) => killsOf(scenario, baselines.get(scenario.name) ?? { commits: [] }));
}

/** mulberry32: small, and the same numbers for ever. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
