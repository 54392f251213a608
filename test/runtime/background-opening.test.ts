import { expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { silentLogger } from "../../src/ports.ts";
import { OwnedRun, type OwnedRunDeps } from "../../src/runtime/background/owned-run.ts";
import { RunLog } from "../../src/runtime/background/run-log.ts";
import type { Session } from "../../src/runtime/index.ts";
import { createMasker } from "../../src/secrets/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { queuedRun } from "../support/background-runs.ts";

test("a run that is cancelled while its session is being opened stops that session all the same", async () => {
  const log = await openEventLog(":memory:");
  const clock = new ManualClock();
  const runs = new RunLog({ log, clock, mask: createMasker([]) });
  const id = "bg_0000000000000001";
  await runs.enqueue(id, queuedRun(id), { bound: null, limit: 10 });
  const lease = await log.acquire("worker", "somebody", 10_000);
  const { key, fence } = lease;
  const owner = { pid: 1, host: "here" };
  const claimed = { type: "claimed", owner, lease: { key, fence } } as const;
  await runs.claim(id, claimed, { lease, slots: 1, holds: () => true });
  let open: (session: Session) => void = () => undefined;
  const opening = new Promise<Session>((resolve) => (open = resolve));
  let closedWith: string | null = null;
  const session = {
    state: () => ({ runId: null, outcome: null }),
    shutdown: async (reason: string) => void (closedWith = reason),
    prompt: () => new Promise(() => undefined),
  };
  const deps: OwnedRunDeps = {
    runs,
    sessions: {
      isKnown: () => Promise.resolve(false),
      start: () => opening,
      resume: () => Promise.reject(new Error("it is not known")),
    },
    promptOf: () => Promise.resolve("Do it"),
    clock,
    logger: silentLogger,
  };
  const run = new OwnedRun(id, await runs.viewOf(id), lease, deps);
  const working = run.work(new AbortController().signal);
  await runs.record(id, { type: "cancelled", now: clock.now(), reason: null });
  run.recorded();
  // What a session is to a run is all that it gets here.
  open(session as unknown as Session);
  await working;
  expect(closedWith).toBe("the run has ended");
  expect(await log.jobs("background")).toEqual([]);
  await log.close();
});
