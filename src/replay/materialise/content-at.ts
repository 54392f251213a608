/** What each path of a workspace held at a position of the log. Pure. */
import { isSameContent, type FileWrite, type PathContent } from "../../projections/index.ts";
import type { Step } from "./workspace-history.ts";

/** What is known of a path at a position. */
export interface Wanted {
  readonly path: string;
  /** What it held, the best knowledge first; none: nothing is known. */
  readonly choices: readonly Exclude<PathContent, { readonly is: "unknown" }>[];
  /** Nothing wrote to it afterwards: what stands there today is what somebody else made of it. */
  readonly isLast: boolean;
}

/** What became of the folders that calls and restores made. */
export interface WantedFolder {
  readonly path: string;
  /** `made`: by then. `later`: not yet there. `unsaid`: made, and what was put into it is gone again. */
  readonly state: "made" | "later" | "unsaid";
}

/** The writes to each path, in their order. */
export type WritesByPath = ReadonlyMap<string, readonly FileWrite[]>;

/** Sorts writes by path. */
export function writesByPath(steps: readonly Step[]): WritesByPath {
  const byPath = new Map<string, FileWrite[]>();
  for (const write of steps.flatMap(({ writes }) => writes)) {
    const known = byPath.get(write.path);
    if (known === undefined) byPath.set(write.path, [write]);
    else known.push(write);
  }
  return byPath;
}

/**
 * What every known path held just after a position: what the last write until then left there. Where that is not known,
 * what the next one found there.
 */
export function wantedAt(byPath: WritesByPath, position: number): Wanted[] {
  return [...byPath].map(([path, writes]) => {
    const last = writes.findLast((write) => write.position <= position);
    const next = writes.find((write) => write.position > position);
    const known = [last?.after, next?.before].filter((content) => content !== undefined);
    return { path, choices: known.filter((content) => content.is !== "unknown"), isLast: next === undefined };
  });
}

/** Which of the folders that were made stood there just after a position, the outermost first. */
export function foldersAt(steps: readonly Step[], position: number): WantedFolder[] {
  const made = new Map<string, WantedFolder["state"]>();
  for (const step of steps) {
    const isPast = step.position <= position;
    for (const path of step.madeDirs)
      if (isPast || !made.has(path)) made.set(path, isPast ? stateOf(steps, path, step, position) : "later");
    if (isPast) for (const path of step.removedDirs) made.set(path, "unsaid");
  }
  return [...made]
    .map(([path, state]) => ({ path, state }))
    .toSorted((a, b) => a.path.split("/").length - b.path.split("/").length);
}

/** No receipt tells of a folder that was removed. One whose files have all gone most likely went with them. */
function stateOf(
  steps: readonly Step[],
  folder: string,
  { position: madeAt }: Step,
  position: number,
): WantedFolder["state"] {
  const hadFiles = steps.some(
    (step) =>
      step.position >= madeAt &&
      step.position <= position &&
      step.writes.some(({ path }) => path.startsWith(`${folder}/`)),
  );
  return hadFiles ? "unsaid" : "made";
}

/** The steps that leave the workspace other than it was before them, as far as the log knows. */
export function changingSteps(steps: readonly Step[]): Step[] {
  const held = new Map<string, PathContent>();
  return steps.filter(({ writes, madeDirs, removedDirs }) => {
    let changes = madeDirs.length + removedDirs.length > 0;
    for (const { path, before, after } of writes) {
      if (!isSameContent(held.get(path) ?? before, after)) changes = true;
      held.set(path, after);
    }
    return changes;
  });
}
