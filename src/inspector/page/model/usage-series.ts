/** Tokens and cost as the columns that the charts take. */
import type { UsagePoint } from "../../api.ts";

/** One array per line, all of one length; the first is the axis. */
export interface UsageSeries {
  readonly versions: readonly number[];
  readonly input: readonly number[];
  readonly cached: readonly number[];
  readonly output: readonly number[];
  readonly cost: readonly (number | null)[];
}

/** Columns of the points. The line begins at 0 with the first fact. */
export function usageSeries(points: readonly UsagePoint[]): UsageSeries {
  const starts = points[0]?.version !== 1;
  const zero = <T>(values: readonly T[], start: T): T[] => (starts ? [start, ...values] : [...values]);
  return {
    versions: zero(
      points.map(({ version }) => version),
      1,
    ),
    input: zero(
      points.map(({ usage }) => usage.inputTokens),
      0,
    ),
    cached: zero(
      points.map(({ usage }) => usage.cachedInputTokens),
      0,
    ),
    output: zero(
      points.map(({ usage }) => usage.outputTokens),
      0,
    ),
    cost: zero<number | null>(
      points.map(({ cost }) => cost),
      0,
    ),
  };
}

/** What had been used at a version: the last point up to it. */
export function usageAt(points: readonly UsagePoint[], version: number): UsagePoint | null {
  return points.findLast((point) => point.version <= version) ?? null;
}
