import type { DependencyProblem } from "../../projections/index.ts";

/** More than these are counted, not named. */
const MAX_NAMED = 20;

/** What is wrong with the dependencies of a list, for a model or a person; `null` when nothing is. */
export function problemText(problems: readonly DependencyProblem[]): string | null {
  if (problems.length === 0) return null;
  const named = problems.slice(0, MAX_NAMED).map((problem) => `- ${tell(problem)}`);
  const more = problems.length - named.length;
  return [
    "Some todos can't become actionable as things are:",
    ...named,
    ...(more > 0 ? [`- and ${more} more of the kind`] : []),
  ].join("\n");
}

function tell({ id, kind, dependency }: DependencyProblem): string {
  switch (kind) {
    case "cycle":
      if (id === dependency) return `${id} waits for itself`;
      return `${id} and ${dependency} wait for each other: ${id} depends on ${dependency}, which leads back to it (a cycle)`;
    case "missing":
      return `${id} depends on ${dependency}, which is not in the list`;
    case "failed":
      return `${id} depends on ${dependency}, which failed`;
    case "duplicate":
      return `${id} is in the list more than once`;
  }
}
