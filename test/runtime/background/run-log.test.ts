import { expect, test } from "vitest";
import type { EventLog, Lease } from "../../../src/log/index.ts";
import { silentLogger } from "../../../src/ports.ts";
import { RunLog } from "../../../src/runtime/background/run-log.ts";
import { Sweeper } from "../../../src/runtime/background/sweeper.ts";
import { createMasker } from "../../../src/secrets/index.ts";
import { queuedRun } from "../../support/background-runs.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const id = "bg_0000000000000001";

interface Subject {
  readonly log: EventLog;
  readonly clock: ManualClock;
  readonly runs: RunLog;
  readonly claim: (lease: Lease) => Promise<unknown>;
}

async function subjectOf(): Promise<Subject> {
  const clock = new ManualClock();
  const log = await memoryLog(() => clock.now());
  const runs = new RunLog({ log, clock, mask: createMasker([]) });
  await runs.enqueue(id, queuedRun(id), { bound: null, limit: 10 });
  const claim = (lease: Lease): Promise<unknown> => {
    const owner = { pid: 1, host: "here" };
    const claimed = { type: "claimed", owner, lease: { key: lease.key, fence: lease.fence } } as const;
    return runs.claim(id, claimed, { lease, slots: 1, holds: () => true });
  };
  return { log, clock, runs, claim };
}

test("what an owner says under a lease that has expired is refused", async () => {
  const { log, clock, runs, claim } = await subjectOf();
  const lease = await log.acquire("a", "a", 10_000);
  await claim(lease);
  clock.advance(10_001);
  const outcome = { status: "completed", stopReason: "end_turn", error: null, text: "Done." } as const;
  const ended = { type: "session_ended", outcome, now: clock.now() } as const;
  await expect(runs.record(id, ended, { lease })).rejects.toMatchObject({ reason: "fenced" });
  expect((await runs.viewOf(id)).status).toBe("running");
});

test("a run that somebody settled and took between a sweeper's look and its word is let be", async () => {
  const { log, clock, runs, claim } = await subjectOf();
  await claim(await log.acquire("a", "a", 10_000));
  clock.advance(10_001);
  const second = await log.acquire("b", "b", 10_000);
  // The sweeper looks at when the run was last seen just before it speaks: there another sweeper and a worker come in.
  const overtaken = new Proxy(log, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        if (name === "read" && args[0] === `session-${id}`) return overtake();
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  async function* overtake(): AsyncGenerator<never> {
    await runs.record(id, { type: "owner_gone", now: clock.now(), seenAt: clock.now() });
    await claim(second);
    yield* [];
  }
  const sweeper = new Sweeper({
    log: overtaken,
    runs,
    clock,
    logger: silentLogger,
    role: "worker",
    worker: null,
    tidy: () => Promise.reject(new Error("there is nothing to tidy up")),
  });
  await sweeper.sweep();
  const { status, start } = await runs.viewOf(id);
  expect({ status, lease: start?.lease.key, attempt: start?.attempt }).toEqual({
    status: "running",
    lease: "b",
    attempt: 2,
  });
});

test("a thousand runs may wait, and no more", async () => {
  const { log, runs } = await subjectOf();
  const rest = Array.from({ length: 999 }, (_, index) => `bg_${(index + 2).toString(16).padStart(16, "0")}`);
  await Promise.all(rest.map((each) => runs.enqueue(each, queuedRun(each), { bound: null, limit: 1_000 })));
  const more = "bg_ffffffffffffffff";
  const refused = runs.enqueue(more, queuedRun(more), { bound: null, limit: 1_000 });
  await expect(refused).rejects.toMatchObject({ reason: "queue_full" });
  expect(await log.streams(`background-${more}`)).toEqual([]);
});
