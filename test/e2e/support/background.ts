/** Workers of tests: none outlives the file that started it. */
import { afterEach } from "vitest";
import { WORKER_LEASE } from "../../../src/harness/index.ts";
import { openEventLog, parseLeaseOwner } from "../../../src/log/index.ts";
import { Place } from "./command.ts";

const places: Place[] = [];

afterEach(async () => {
  for (const place of places.splice(0)) await endWorker(place, "SIGTERM");
});

/** A place whose worker ends with the test. */
export async function backgroundPlace(): Promise<Place> {
  const place = await Place.make();
  places.push(place);
  return place;
}

/** Ends the worker of a place, if there is one, and waits until it is gone. */
export async function endWorker(place: Place, signal: NodeJS.Signals): Promise<void> {
  const pid = await workerOf(place);
  if (pid === null) return;
  process.kill(pid, signal);
  await until(() => Promise.resolve(!isAlive(pid)));
}

/** The process of the worker; `null` when there is none. */
export async function workerOf(place: Place): Promise<number | null> {
  try {
    const log = await openEventLog(place.log, { readOnly: true });
    try {
      const holder = await log.holderOf(WORKER_LEASE);
      return holder === null ? null : (parseLeaseOwner(holder.owner)?.pid ?? null);
    } finally {
      await log.close();
    }
  } catch {
    return null; // there is no log
  }
}

/** Polls, for a minute at most. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error("it did not come to be");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a process is there; one that has ended and was not reaped is not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
