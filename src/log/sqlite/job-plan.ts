/** What a unit of work may do to jobs. Pure: it is told how the jobs stand, and works out how they will. */
import { JobQueueFullError, JobTakenError, LaneFullError } from "../errors.ts";
import type { Job, Lease } from "../port.ts";

/** One thing that a unit of work does to a job. */
export type JobStep =
  | {
      readonly kind: "enqueue";
      readonly queue: string;
      readonly key: string;
      readonly bound: string | null;
      readonly limit: number | null;
    }
  | {
      readonly kind: "claim";
      readonly queue: string;
      readonly key: string;
      readonly lease: Lease;
      readonly slots: number;
    }
  | { readonly kind: "release" | "end" | "settle"; readonly queue: string; readonly key: string };

type Enqueue = JobStep & { readonly kind: "enqueue" };
type Claim = JobStep & { readonly kind: "claim" };

/** How things stand before the first step. */
export interface StandingJobs {
  find(queue: string, key: string): Job | undefined;
  /** How many have no holder and are not ending. */
  waiting(queue: string): number;
  /** Those that have a holder, live or not, and are not ending. */
  held(queue: string): readonly Job[];
  isLeaseLive(key: string): boolean;
}

/** The jobs as they will stand when the steps so far are done: each step meets what those before it have done. */
export class JobPlan {
  readonly #standing: StandingJobs;
  /** By queue, the jobs that a step has changed; undefined for one that is settled. */
  readonly #changed = new Map<string, Map<string, Job | undefined>>();

  constructor(standing: StandingJobs) {
    this.#standing = standing;
  }

  /** @throws JobTakenError, JobQueueFullError or LaneFullError when the step may not be done */
  add(step: JobStep): void {
    const { queue, key } = step;
    const job = this.#find(queue, key);
    switch (step.kind) {
      case "enqueue":
        this.#assertMayEnqueue(job, step);
        this.#set(queue, key, this.#enqueued(step));
        return;
      case "claim":
        this.#set(queue, key, claimed(this.#assertMayClaim(job, step), step.lease));
        return;
      case "release":
        if (job !== undefined) this.#set(queue, key, { ...job, holder: null });
        return;
      case "end":
        if (job !== undefined) this.#set(queue, key, { ...job, isEnding: true });
        return;
      case "settle":
        this.#set(queue, key, undefined);
    }
  }

  #assertMayEnqueue(job: Job | undefined, { queue, key, limit }: Enqueue): void {
    if (job !== undefined) throw new JobTakenError(queue, key, "there_already");
    if (limit !== null && this.#waiting(queue) >= limit) throw new JobQueueFullError(queue, limit);
  }

  /** @returns the job, which is free for the lease */
  #assertMayClaim(job: Job | undefined, { queue, key, lease, slots }: Claim): Job {
    if (job === undefined) throw new JobTakenError(queue, key, "not_there");
    if (job.isEnding) throw new JobTakenError(queue, key, "ending");
    if (job.holder?.isLive === true) throw new JobTakenError(queue, key, "held");
    if (job.isBoundLive && job.bound !== lease.key) throw new JobTakenError(queue, key, "bound");
    if (this.#slotsTaken(queue) >= slots) throw new LaneFullError(queue, slots);
    return job;
  }

  /** Its order is not known before the facts of the unit have their numbers, and no step asks for it. */
  #enqueued({ queue, key, bound }: Enqueue): Job {
    const isBoundLive = bound !== null && this.#standing.isLeaseLive(bound);
    return { queue, key, order: 0, bound, isBoundLive, holder: null, isEnding: false };
  }

  #find(queue: string, key: string): Job | undefined {
    const changed = this.#changed.get(queue);
    return changed?.has(key) === true ? changed.get(key) : this.#standing.find(queue, key);
  }

  #set(queue: string, key: string, job: Job | undefined): void {
    const changed = this.#changed.get(queue) ?? new Map<string, Job | undefined>();
    this.#changed.set(queue, changed.set(key, job));
  }

  #waiting(queue: string): number {
    let waiting = this.#standing.waiting(queue);
    for (const [key, job] of this.#changed.get(queue) ?? []) {
      if (isWaiting(job)) waiting += 1;
      if (isWaiting(this.#standing.find(queue, key))) waiting -= 1;
    }
    return waiting;
  }

  #slotsTaken(queue: string): number {
    const changed = this.#changed.get(queue);
    const unchanged = this.#standing.held(queue).filter(({ key }) => changed?.has(key) !== true);
    return [...unchanged, ...(changed?.values() ?? [])].filter(takesSlot).length;
  }
}

function isWaiting(job: Job | undefined): boolean {
  return job !== undefined && job.holder === null && !job.isEnding;
}

function takesSlot(job: Job | undefined): boolean {
  return job?.holder?.isLive === true && !job.isEnding;
}

function claimed(job: Job, { key, fence, owner }: Lease): Job {
  return { ...job, holder: { key, fence, owner, isLive: true, renewedAt: 0 } };
}
