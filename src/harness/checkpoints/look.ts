/** Looks at every path of a restore and judges it. Changes nothing. */
import type { EventLog } from "../../log/index.ts";
import { observe, type FileCalls, type Observed } from "../../workspace/index.ts";
import { judge, type Verdict } from "./plan.ts";
import type { Source, Target } from "./source.ts";

/** A path, what stands there and what becomes of it. */
export interface Judged extends Target {
  readonly verdict: Verdict;
  readonly current: Observed;
}

/** How paths are looked at. */
export interface LookParts {
  readonly log: EventLog;
  readonly files: FileCalls;
}

/** What a caller asked for. */
export interface LookOptions {
  readonly targets: readonly Target[];
  /** The caller named them. */
  readonly isSelection: boolean;
  readonly force: boolean;
}

/** A name with a secret in it stands in the log with a placeholder in its place: which file that was is not known. */
function holdsPlaceholder(path: string): boolean {
  return /\{\{secret:[^{}]*\}\}/.test(path);
}

/** Looks at one path after the other; the bytes of one are gone when the next is looked at, unless the caller keeps them. */
export async function* lookAt(
  source: Source,
  { targets, isSelection, force }: LookOptions,
  { log, files }: LookParts,
): AsyncGenerator<Judged> {
  for (const found of targets) {
    const { path, target, outsideCwd } = found;
    const current = await observe(path, source.place.cwd, files);
    const isStored = target.is !== "file" || (await log.hasBlob(target.sha256));
    const ledger = source.ledger.get(path) ?? null;
    const known = holdsPlaceholder(path) ? ({ is: "unknown" } as const) : target;
    const state = { target: known, isStored, current, ledger, outsideCwd, isSelected: isSelection };
    yield { ...found, current, verdict: judge(state, { origin: source.origin, force }) };
  }
}
