/**
 * Settles what dead processes left of runs: decides what becomes of a run that nobody works on any more, and stops what an
 * ended one left behind. docs/reference/background-runs.md, "When a process ends"
 */
import { abandonedRun, BACKGROUND_QUEUE, lastSeen, readRun, type PresentRun } from "../../harness/index.ts";
import type { EventLog, Job } from "../../log/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { isPassing, reasonOf } from "./reason.ts";
import type { BackgroundRole } from "./role.ts";
import type { RunLog } from "./run-log.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** What the sweeper needs of its runtime. */
export interface SweeperDeps {
  readonly log: EventLog;
  readonly runs: RunLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly role: BackgroundRole;
  /** `null` where no other process can work on this log. */
  readonly worker: WorkerProcess | null;
  /** Ends what is open in a session: its commands, its calls, its run. */
  readonly tidy: (sessionId: string, reason: string) => Promise<void>;
}

/** Looks for what is left behind. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #tidying = new Map<string, Promise<void>>();

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  /** Looks at all runs in line. @returns whether anything was decided */
  async sweep(): Promise<boolean> {
    let decided = false;
    for (const job of await this.#deps.log.jobs(BACKGROUND_QUEUE)) {
      try {
        if (job.isEnding) this.#startTidying(job);
        // Only what the line says of a dead process is worth a look at the facts.
        else if (mayBeAbandoned(job)) decided = (await this.#settle(job)) || decided;
      } catch (error) {
        this.#report(error, "a background run that was left could not be settled");
      }
    }
    return decided;
  }

  /** Resolves when nothing is being stopped any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#tidying.values());
  }

  async #settle(job: Job): Promise<boolean> {
    const { log, runs, clock } = this.#deps;
    const run: PresentRun = { id: job.key, view: await readRun(log, job.key), job };
    const why = abandonedRun(run);
    if (why === null) return false;
    const seenAt = await lastSeen(log, run);
    const lease = run.view.start?.lease;
    const decision = await runs.record(
      job.key,
      { type: why, now: clock.now(), seenAt },
      // Somebody may have settled it and taken it since: what was seen dead is that lease, and no other.
      { holds: ({ start }) => start?.lease.key === lease?.key && start?.lease.fence === lease?.fence },
    );
    if (decision?.job === "ending") this.#startTidying(job);
    return decision !== null;
  }

  #startTidying(job: Job): void {
    const { role, worker } = this.#deps;
    if (job.holder?.isLive === true || this.#tidying.has(job.key)) return;
    // What takes longer than a command does is left to those that stay.
    const isForWorker = worker !== null && (role === "command" || (role === "library" && job.bound === null));
    const work = isForWorker ? worker.ensure() : this.#tidy(job.key);
    const tidying = work
      .catch((error: unknown) => this.#report(error, "what a background run left could not be stopped"))
      .finally(() => this.#tidying.delete(job.key));
    this.#tidying.set(job.key, tidying);
  }

  async #tidy(id: string): Promise<void> {
    try {
      await this.#deps.tidy(id, "the run has ended");
    } catch (error) {
      // Another process is at it, or the log can't be written: there is a next time.
      if (isPassing(error)) return;
      // One that never began has nothing to stop; of one that can't be opened nothing can be stopped, ever.
      if (reasonOf(error) !== "session_not_found")
        this.#report(error, "the session of a background run could not be opened");
    }
    await this.#deps.runs.settle(id);
  }

  #report(error: unknown, what: string): void {
    this.#deps.logger.warn({ reason: reasonOf(error) }, what);
  }
}

function mayBeAbandoned({ holder, bound, isBoundLive }: Job): boolean {
  return holder === null ? bound !== null && !isBoundLive : !holder.isLive;
}
