/** Features for people. */
import { problemsOf, type Feature, type FeatureDocument, type FeatureProgress } from "../harness/index.ts";
import type { Output } from "./output.ts";
import { columns, oneLine } from "./printable.ts";

const marks = { pending: "[ ]", in_progress: "[~]", completed: "[x]", failed: "[!]" } as const;
const colours = { pending: null, in_progress: "yellow", completed: "dim", failed: "red" } as const;

/** One line a feature, in the order given. */
export function featureLines(out: Output, features: readonly Feature[]): string[] {
  const rows = features.map(({ id, status, priority, description, dependencies }) => [
    marks[status],
    oneLine(id, 40),
    status,
    priority,
    `${oneLine(description, 100)}${dependencies.length === 0 ? "" : `  ← ${oneLine(dependencies.join(", "), 60)}`}`,
  ]);
  return columns(rows).map((line, at) => {
    const colour = colours[features[at]?.status ?? "pending"];
    return colour === null ? line : out.paint(colour, line);
  });
}

/** How far a project is. */
export function progressLine(progress: FeatureProgress): string {
  const { projectName, completed, total, percentage, inProgress, failed } = progress;
  const more = [inProgress > 0 ? `, ${inProgress} in progress` : "", failed > 0 ? `, ${failed} failed` : ""];
  return `${oneLine(projectName, 60)}: ${completed} of ${total} completed (${percentage} %)${more.join("")}`;
}

/** More than these are counted, not named. */
const MAX_NAMED = 20;

/** What is wrong with ids and dependencies. */
export function featureProblemLines(document: FeatureDocument): string[] {
  const problems = problemsOf(document);
  const named = problems.slice(0, MAX_NAMED).map(({ id, kind, dependency }) => {
    const [item, on] = [oneLine(id, 40), oneLine(dependency ?? "", 40)];
    switch (kind) {
      case "duplicate":
        return `several features have the id ${item}`;
      case "missing":
        return `${item} depends on ${on}, which is not there`;
      case "failed":
        return `${item} depends on ${on}, which failed`;
      case "cycle":
        return id === dependency
          ? `${item} depends on itself`
          : `${item} depends on ${on}, which leads back to it`;
    }
  });
  const more = problems.length - named.length;
  return more > 0 ? [...named, `${more} more problems of this kind: --json lists them`] : named;
}
