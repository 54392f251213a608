/**
 * How a run stands now: what its facts say, and what whoever looks next will decide of a run whose process is gone. So
 * nobody is told that it runs while nobody works on it, not even by a log that can't be written.
 * docs/reference/background-runs.md, "A status never lies"
 */
import { catalogue, type FactOf, type FactType } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { backgroundRunView, project, type BackgroundRunView } from "../../projections/index.ts";
import { abandonedRun, lastSeen, type Abandoned } from "./present.ts";
import type { Presently } from "./reading.ts";

/** The rules of a run's lifecycle, which are the actors'. */
export interface RunRules {
  readonly decideRun: (
    view: BackgroundRunView,
    event: { readonly type: Abandoned; readonly now: number; readonly seenAt: number },
  ) => { readonly type: FactType; readonly data: unknown } | null;
  readonly ranMs: (view: BackgroundRunView, now: number) => number;
}

/** @param now - epoch milliseconds */
export function presentlyBy({ decideRun, ranMs }: RunRules, log: EventLog, now: () => number): Presently {
  return async (run) => {
    const at = now();
    const why = abandonedRun(run);
    const seenAt = why === null ? at : await lastSeen(log, run);
    const decision = why === null ? null : decideRun(run.view, { type: why, now: at, seenAt });
    const view =
      decision === null
        ? run.view
        : project(backgroundRunView, run.view, factOf(decision, run.view, Math.min(seenAt, at)));
    return { view, elapsedMs: ranMs(view, at) };
  };
}

/** The decision as the fact that it would be. */
function factOf(
  { type, data }: { readonly type: FactType; readonly data: unknown },
  { version }: BackgroundRunView,
  at: number,
): FactOf<FactType> {
  const envelope = {
    stream: "",
    position: 0,
    actor: "background",
    causation: null,
    correlation: null,
    hash: "",
  };
  const { schemaVersion } = catalogue[type];
  return { ...envelope, type, data, kind: "input", version, at, schemaVersion } as FactOf<FactType>;
}
