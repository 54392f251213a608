/**
 * How a run is now. Its facts alone may say that it runs while nobody works on it any more, since a process that is
 * killed says nothing. So the lease of its owner is asked too. docs/reference/background-runs.md, "A status never lies"
 */
import type { EventLog, Job } from "../../log/index.ts";
import { backgroundRunView, project, type BackgroundRunView } from "../../projections/index.ts";
import { BACKGROUND_QUEUE, runStreamName } from "./id.ts";

/** A run, and its place in line; `null` once it is done with. */
export interface PresentRun {
  readonly id: string;
  readonly view: BackgroundRunView;
  readonly job: Job | null;
}

/** The run as its facts tell it; its `queued` is `null` when there is none. */
export async function readRun(log: EventLog, id: string): Promise<BackgroundRunView> {
  let view = backgroundRunView.initial;
  for await (const fact of log.read(runStreamName(id))) view = project(backgroundRunView, view, fact);
  return view;
}

/** The run and its place in line. */
export async function readPresentRun(log: EventLog, id: string): Promise<PresentRun> {
  // The line first: what it says of an owner can then only be older than what the facts say.
  const jobs = await log.jobs(BACKGROUND_QUEUE);
  return { id, view: await readRun(log, id), job: jobs.find(({ key }) => key === id) ?? null };
}

/** Why nobody will go on with a run as it stands; `null` while somebody may. */
export type Abandoned = "owner_gone" | "unresolvable";

/** Whether nobody works on a run that says so, or nobody can work on one that waits. */
export function abandonedRun({ view, job }: PresentRun): Abandoned | null {
  if (view.queued === null || job === null || job.isEnding) return null;
  const isOrphan = job.bound !== null && !job.isBoundLive && !view.queued.portable;
  if (view.status === "queued") return job.holder === null && isOrphan ? "unresolvable" : null;
  if (view.status !== "running" || job.holder === null || job.holder.isLive) return null;
  // Somebody else may have taken it since: then the facts speak of another lease than the line did.
  const { lease } = view.start ?? {};
  if (lease?.key !== job.holder.key || lease.fence !== job.holder.fence) return null;
  return isOrphan ? "unresolvable" : "owner_gone";
}

/** When the owner of a run certainly still worked on it: its last heartbeat, or the last fact of its work. */
export async function lastSeen(
  log: EventLog,
  { id, view, job }: Pick<PresentRun, "id" | "view" | "job">,
): Promise<number> {
  let seen = Math.max(view.attemptAt ?? 0, job?.holder?.renewedAt ?? 0);
  for await (const { at } of log.read(`session-${id}`, { backwards: true })) {
    seen = Math.max(seen, at);
    break;
  }
  return seen;
}

/** Whether a log has runs that a process which stays should see to: they wait and anybody may take them, or were left. */
export async function hasBackgroundWork(log: EventLog): Promise<boolean> {
  const jobs = await log.jobs(BACKGROUND_QUEUE);
  return jobs.some(({ holder, isBoundLive }) => (holder === null ? !isBoundLive : !holder.isLive));
}
