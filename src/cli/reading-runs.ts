/**
 * Background runs, for commands that only look. The log is opened for writing only when something in it waits for a
 * process that isn't there; so a look settles what a dead process left, and sees to it that a worker runs.
 * docs/reference/background-runs.md, "Reading"
 */
import { messageOf } from "../errors.ts";
import { familyOf, hasBackgroundWork, presentlyBy, RunReader, WORKER_LEASE } from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import { backgroundRunRules } from "../replay/index.ts";
import type { BackgroundRuns } from "../runtime/index.ts";
import type { Context } from "./globals.ts";
import { readingLogIfAny } from "./reading.ts";

/** What can be asked of runs without changing any. */
export type LookAtRuns = Pick<BackgroundRuns, "list" | "status" | "result">;

/** Looks at the runs of the log; `null` when there is no log. */
export async function readingRuns<Result>(
  context: Context,
  look: (runs: LookAtRuns) => Promise<Result>,
): Promise<Result | null> {
  const isWaiting = await readingLogIfAny(context, waitsForSomebody);
  if (isWaiting === null) return null;
  if (isWaiting) await settleRuns(context);
  return readingLogIfAny(context, async (log) => look(await runsOf(log)));
}

/** The runs of an open log. */
export async function runsOf(log: EventLog): Promise<LookAtRuns> {
  const now = (): number => Date.now();
  const presently = presentlyBy(await backgroundRunRules(), log, now);
  return new RunReader({ log, now, presently, sessionsOf: (id) => familyOf(log, id) });
}

/** Whether runs wait, or were left, and no worker is there to see to them. */
export async function waitsForSomebody(log: EventLog): Promise<boolean> {
  return (await hasBackgroundWork(log)) && (await log.holderOf(WORKER_LEASE)) === null;
}

/** Settles what dead processes left and starts a worker where one is needed. A log that can't be written is told the same of. */
export async function settleRuns(context: Context): Promise<void> {
  try {
    const { withRuntime } = await import("./leading.ts");
    await withRuntime(context, ({ background }) => background.list({ limit: 1 }));
  } catch (error) {
    context.out.warn(`background runs can't be seen to from here: ${messageOf(error)}`);
  }
}
