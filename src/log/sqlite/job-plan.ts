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
  list(queue: string): readonly Job[];
  isLeaseLive(key: string): boolean;
}

/** The jobs as they will stand when the steps so far are done: each step meets what those before it have done. */
export class JobPlan {
  readonly #now: StandingJobs;
  readonly #queues = new Map<string, Map<string, Job>>();

  constructor(now: StandingJobs) {
    this.#now = now;
  }

  /** @throws JobTakenError, JobQueueFullError or LaneFullError when the step may not be done */
  add(step: JobStep): void {
    const jobs = this.#jobsOf(step.queue);
    const job = jobs.get(step.key);
    switch (step.kind) {
      case "enqueue":
        assertMayEnqueue(jobs, step);
        jobs.set(step.key, this.#enqueued(step));
        return;
      case "claim":
        jobs.set(step.key, claimed(mayClaim(jobs, step), step.lease));
        return;
      case "release":
        if (job !== undefined) jobs.set(step.key, { ...job, holder: null });
        return;
      case "end":
        if (job !== undefined) jobs.set(step.key, { ...job, isEnding: true });
        return;
      case "settle":
        jobs.delete(step.key);
    }
  }

  /** Its order is not known before the facts of the unit have their numbers, and no step asks for it. */
  #enqueued({ queue, key, bound }: Enqueue): Job {
    const isBoundLive = bound !== null && this.#now.isLeaseLive(bound);
    return { queue, key, order: 0, bound, isBoundLive, holder: null, isEnding: false };
  }

  #jobsOf(queue: string): Map<string, Job> {
    let jobs = this.#queues.get(queue);
    if (jobs !== undefined) return jobs;
    jobs = new Map(this.#now.list(queue).map((job) => [job.key, job]));
    this.#queues.set(queue, jobs);
    return jobs;
  }
}

function assertMayEnqueue(jobs: ReadonlyMap<string, Job>, { queue, key, limit }: Enqueue): void {
  if (jobs.has(key)) throw new JobTakenError(queue, key, "there_already");
  if (limit === null) return;
  if (count(jobs, (job) => job.holder === null && !job.isEnding) >= limit)
    throw new JobQueueFullError(queue, limit);
}

/** @returns the job, which is free for the lease */
function mayClaim(jobs: ReadonlyMap<string, Job>, { queue, key, lease, slots }: Claim): Job {
  const job = jobs.get(key);
  if (job === undefined) throw new JobTakenError(queue, key, "not_there");
  if (job.isEnding) throw new JobTakenError(queue, key, "ending");
  if (job.holder?.isLive === true) throw new JobTakenError(queue, key, "held");
  if (job.isBoundLive && job.bound !== lease.key) throw new JobTakenError(queue, key, "bound");
  if (count(jobs, (each) => each.holder?.isLive === true && !each.isEnding) >= slots)
    throw new LaneFullError(queue, slots);
  return job;
}

function claimed(job: Job, { key, fence, owner }: Lease): Job {
  return { ...job, holder: { key, fence, owner, isLive: true, renewedAt: 0 } };
}

function count(jobs: ReadonlyMap<string, Job>, counts: (job: Job) => boolean): number {
  let total = 0;
  for (const job of jobs.values()) if (counts(job)) total += 1;
  return total;
}
