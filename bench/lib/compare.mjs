/** Measuring against a floor: both in the same process, in turns, so that a busy machine slows both alike. */
import { performance } from "node:perf_hooks";

/** Rounds that count. Each is one A and one B. */
const ROUNDS = 7;

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * A B A B … after one round that only warms up. The ratio is the median of the rounds' own ratios, not the ratio of
 * the medians: the two halves of a round have seen the same machine.
 *
 * @param ours - does the work once and gives its figure
 * @param floor - the same for the floor
 */
export async function compare(ours, floor, { rounds = ROUNDS, warmups = 1 } = {}) {
  const a = [];
  const b = [];
  for (let round = -warmups; round < rounds; round += 1) {
    const measured = [await ours(), await floor()];
    if (round < 0) continue;
    a.push(measured[0]);
    b.push(measured[1]);
  }
  return { value: median(a), floor: median(b), ratio: median(a.map((value, round) => value / b[round])) };
}

/** Milliseconds that some work takes. */
export async function millisecondsOf(work) {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** The same in processor time, for work that never waits: what else runs on the machine does not count. */
export async function cpuMillisecondsOf(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Things a second. */
export async function rateOf(count, work, timeOf = millisecondsOf) {
  return (count / (await timeOf(work))) * 1_000;
}

/**
 * One line of the table.
 *
 * @param goal - `{ of: "ratio" | "value", atLeast }` or `{ of, atMost }`; left out for a figure that only informs
 */
export function figure({ name, unit, value, floor = null, ratio = null, goal = null, note = "" }) {
  const judged = goal === null ? null : goal.of === "ratio" ? ratio : value;
  const met =
    goal === null ? null : goal.atLeast === undefined ? judged <= goal.atMost : judged >= goal.atLeast;
  return { name, unit, value, floor, ratio, goal, met, note };
}

export const ratioAtLeast = (atLeast) => ({ of: "ratio", atLeast });
export const ratioAtMost = (atMost) => ({ of: "ratio", atMost });
export const valueAtMost = (atMost) => ({ of: "value", atMost });
export const valueAtLeast = (atLeast) => ({ of: "value", atLeast });
