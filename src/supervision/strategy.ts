/** Which children share the fate of one that failed (stdlib `supervisor`, "Supervision Principles"). */

/** How a supervisor restarts. `simple_one_for_one` has one template and children without names. */
export type Strategy = "one_for_one" | "one_for_all" | "rest_for_one" | "simple_one_for_one";

/**
 * The children to stop (from the last to the first) and to start again (from the first to the last) when one failed.
 *
 * @param inStartOrder - all children, oldest first
 * @returns in start order, the failed one included
 */
export function sharersOf<T>(strategy: Strategy, inStartOrder: Iterable<T>, failed: T): readonly T[] {
  switch (strategy) {
    case "one_for_one":
    case "simple_one_for_one":
      return [failed]; // without a look at the siblings: a restart costs the same among 100,000
    case "one_for_all":
      return [...inStartOrder];
    case "rest_for_one": {
      const all = [...inStartOrder];
      return all.slice(all.indexOf(failed));
    }
  }
}
