/**
 * Gives runs to this process, and looks for those whose process is gone. It is woken by each fact of a run, by the end
 * of one of its own, and every two seconds. docs/reference/background-runs.md, "Who works on a run"
 */
import type { Subscription } from "rxjs";
import type { Leadership } from "../../actors/index.ts";
import { upcast, type Fact, type FactOf } from "../../events/index.ts";
import { BACKGROUND_QUEUE, readRun, RUN_STREAM_PREFIX } from "../../harness/index.ts";
import type { EventLog, Job } from "../../log/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { isFinalRun, type BackgroundRunView } from "../../projections/index.ts";
import { promiseChild, type Child, type Supervisor } from "../../supervision/index.ts";
import { OwnedRun, type OwnedRunDeps } from "./owned-run.ts";
import { reasonOf } from "./reason.ts";
import type { RunLog } from "./run-log.ts";
import { Sweeper, type SweeperDeps } from "./sweeper.ts";

/** Milliseconds between two looks at the line when nothing happens. */
const LOOK_MS = 2_000;

/** What the dispatcher needs of its runtime. */
export interface DispatcherDeps extends OwnedRunDeps, SweeperDeps {
  readonly runs: RunLog;
  readonly leadership: Leadership;
  /** How many runs may be worked on at once, over all processes. */
  readonly slots: number;
  /** The supervisor of runs, as it is now. */
  readonly population: () => Supervisor;
  /** This process, as the started run names it. */
  readonly owner: { readonly pid: number; readonly host: string };
  readonly clock: Clock;
  readonly logger: Logger;
  /** A run has ended, wherever it was worked on. */
  readonly onEnd: (id: string, view: BackgroundRunView) => void;
}

/** The line of runs, as this process sees it. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #owned = new Map<string, { readonly run: OwnedRun; readonly child: Child | null }>();
  readonly #sweeper: Sweeper;
  readonly #unwatch: () => void;
  #following: Promise<Subscription | null> | null = null;
  #cancelTimer: (() => void) | null = null;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #isClosed = false;
  /** The lease may be dead: the next one is as good, and this process is there to acquire it. */
  #isLeadLost = false;
  /** When it last had something to do, by the monotonic clock. */
  #busyAt: number;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#sweeper = new Sweeper(deps);
    this.#busyAt = deps.clock.monotonic();
    this.#unwatch = deps.leadership.watch(() => {
      for (const { run } of this.#owned.values()) run.loseLead();
      this.#isLeadLost = true;
      if (this.#following !== null) void this.look();
    });
  }

  /** Milliseconds since it last had something to do, or to wait for; for ever once another process has its lease. */
  get idleMs(): number {
    if (this.#owned.size === 0 && this.#deps.leadership.isTaken) return Number.POSITIVE_INFINITY;
    return this.#owned.size > 0 ? 0 : this.#deps.clock.monotonic() - this.#busyAt;
  }

  /** The run, if this process works on it. */
  owned(id: string): OwnedRun | null {
    return this.#owned.get(id)?.run ?? null;
  }

  /** At the start: a log in which nothing waits costs no more than a look. */
  async begin(): Promise<void> {
    try {
      const jobs = await this.#deps.log.jobs(BACKGROUND_QUEUE);
      if (this.#deps.role === "worker" || jobs.length > 0) this.follow();
      if (jobs.length > 0) await this.look();
    } catch (error) {
      this.#report(error, "the line of background runs could not be looked at");
    }
  }

  /** From now on it sees what becomes of runs, and goes on by itself. */
  follow(): void {
    if (this.#following !== null || this.#isClosed) return;
    this.#following = this.#subscribe();
    void this.look();
  }

  /** `null` when it can't: then the next look tries again. */
  #subscribe(): Promise<Subscription | null> {
    return this.#followFromHere().catch((error: unknown) => {
      this.#report(error, "background runs can't be followed");
      return null;
    });
  }

  async #followFromHere(): Promise<Subscription | null> {
    const { log } = this.#deps;
    const { head } = await log.info();
    const last = head === null ? null : await lastFact(log, head);
    const after = last === null ? {} : { after: log.cursorOf(last) };
    if (this.#isClosed) return null;
    return log.follow({ streams: RUN_STREAM_PREFIX, ...after }).subscribe({
      next: (fact) => this.#see(fact),
      error: (error: unknown) => {
        this.#report(error, "background runs can't be followed any more");
        this.#following = Promise.resolve(null);
      },
    });
  }

  /** Makes sure that somebody works on runs which are not for this process. */
  async ensureWorker(): Promise<void> {
    if (this.#deps.role !== "worker") await this.#deps.worker?.ensure();
    else void this.look();
  }

  /** Looks at the line: settles what dead processes left, and takes what is free. Never rejects. */
  look(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null));
    return this.#looking;
  }

  /** Lets go of all runs of this process: they are put back in line. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    this.#cancelTimer?.();
    (await this.#following)?.unsubscribe();
    await this.#looking;
    await this.#sweeper.idle();
    const supervisor = this.#deps.population();
    await Promise.all(
      [...this.#owned.values()].map(({ child }) =>
        child === null ? Promise.resolve() : supervisor.terminateChild(child).catch(() => undefined),
      ),
    );
  }

  async #lookOnce(): Promise<void> {
    this.#cancelTimer?.();
    // Once another process has the lease nothing of the line is for this one.
    while (this.#lookAgain && !this.#isClosed && !this.#deps.leadership.isTaken) {
      this.#lookAgain = false;
      try {
        // Before anything is taken: what becomes of it must be seen.
        if (this.#following !== null && (await this.#following) === null) this.#following = this.#subscribe();
        if (this.#isLeadLost) {
          await this.#deps.leadership.acquireNext();
          this.#isLeadLost = false;
        }
        if (await this.#sweeper.sweep()) this.#lookAgain = true;
        await this.#takeFree();
      } catch (error) {
        this.#report(error, "the line of background runs could not be looked at");
      }
    }
    if (this.#following !== null && !this.#isClosed && !this.#deps.leadership.isTaken)
      this.#cancelTimer = this.#deps.clock.setTimer(LOOK_MS, () => void this.look(), true);
  }

  async #takeFree(): Promise<void> {
    const { log, role, slots, worker } = this.#deps;
    const all = await log.jobs(BACKGROUND_QUEUE);
    this.#letGoOfOthers(all);
    const jobs = all.filter(({ isEnding }) => !isEnding);
    // One that was here before is taken again when nothing of it is left.
    const waiting = jobs.filter(({ key, holder }) => holder === null && !this.#owned.has(key));
    let free = slots - jobs.filter(({ holder }) => holder?.isLive === true).length;
    if (waiting.length > 0 && role === "worker") this.#busyAt = this.#deps.clock.monotonic();
    for (const job of waiting) {
      if (!this.#mayTake(job)) {
        if (role !== "worker" && isForWorkers(job)) await worker?.ensure();
        continue;
      }
      if (free <= 0 || this.#isClosed) return;
      const claimed = await this.#claim(job);
      if (claimed === "lane_full") return;
      if (claimed === "claimed") free -= 1;
    }
  }

  /** A fact of a run may be missed, or come late: where the line says that one is over here, it is. */
  #letGoOfOthers(jobs: readonly Job[]): void {
    for (const [id, { run }] of this.#owned) {
      const job = jobs.find(({ key }) => key === id);
      if (job === undefined || job.isEnding) run.recorded();
      else if (!run.isUnder(job.holder)) run.loseLead();
    }
  }

  /** Runs of a process that is gone and that only it could do are not there any more: they are lost by now. */
  #mayTake({ bound, isBoundLive }: Job): boolean {
    const { role, leadership } = this.#deps;
    if (role === "command") return false;
    if (bound === leadership.key) return true;
    if (isBoundLive) return false;
    return role === "worker" || bound !== null;
  }

  async #claim({ key: id, bound }: Job): Promise<"claimed" | "taken" | "lane_full"> {
    const { runs, leadership, owner, slots } = this.#deps;
    const { lease } = leadership;
    const { key, fence } = lease;
    const event = { type: "claimed", owner, lease: { key, fence } } as const;
    // Its process may have gone since the line was looked at, and nobody else can do what is not portable.
    const holds = ({ queued }: BackgroundRunView): boolean => queued?.portable === true || bound === key;
    try {
      const claimed = await runs.claim(id, event, { lease, slots, holds });
      if (typeof claimed === "string") return claimed;
      await this.#employ(new OwnedRun(id, claimed, lease, this.#deps));
      return "claimed";
    } catch (error) {
      if (reasonOf(error) !== "fenced") throw error;
      // A process that slept too long finds its lease expired.
      this.#isLeadLost = true;
      this.#lookAgain = true;
      return "taken";
    }
  }

  async #employ(run: OwnedRun): Promise<void> {
    const { id } = run;
    this.#owned.set(id, { run, child: null });
    const start = (): Child => promiseChild((signal) => run.work(signal));
    // It gets longer to stop than its session needs.
    const spec = { id, restart: "transient", shutdown: 30_000, start } as const;
    try {
      const { child } = await this.#deps.population().startChild(spec);
      if (child === undefined) throw new Error(`run ${id} was not started`);
      this.#owned.set(id, { run, child });
      void child.exited.then(() => this.#over(id));
    } catch (error) {
      // The supervisor is being stopped, or started again. The run is ours all the same, so it is given back.
      this.#report(error, "a background run could not be started");
      await run.work(AbortSignal.abort()).finally(() => this.#over(id));
    }
  }

  #over(id: string): void {
    this.#owned.delete(id);
    this.#busyAt = this.#deps.clock.monotonic();
    void this.look();
  }

  #see(fact: Fact): void {
    const id = fact.stream.slice(RUN_STREAM_PREFIX.length);
    this.#follow(id, fact).catch((error: unknown) =>
      this.#report(error, "a fact of a background run could not be followed"),
    );
    void this.look();
  }

  async #follow(id: string, fact: Fact): Promise<void> {
    const { log, onEnd } = this.#deps;
    if (fact.redacted !== undefined) return;
    if (fact.type === "background_run.approval_answered") {
      await this.owned(id)?.answer((upcast(fact) as FactOf<"background_run.approval_answered">).data);
      return;
    }
    if (!ENDS.has(fact.type)) return;
    this.owned(id)?.recorded();
    const view = await readRun(log, id);
    if (isFinalRun(view)) onEnd(id, view);
  }

  #report(error: unknown, what: string): void {
    this.#deps.logger.warn({ reason: reasonOf(error) }, what);
  }
}

const ENDS: ReadonlySet<string> = new Set([
  "background_run.completed",
  "background_run.timed_out",
  "background_run.cancelled",
  "background_run.failed",
  "background_run.lost",
]);

function isForWorkers({ bound, isBoundLive }: Job): boolean {
  return bound === null || !isBoundLive;
}

async function lastFact(
  log: EventLog,
  { stream, version }: { stream: string; version: number },
): Promise<Fact | null> {
  for await (const fact of log.read(stream, { from: version, to: version })) return fact;
  return null;
}
