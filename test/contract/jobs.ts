/** What every engine of the EventLog port must do with jobs. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  FencedError,
  JobQueueFullError,
  JobTakenError,
  LaneFullError,
  VersionConflictError,
  type EventLog,
  type Job,
  type Lease,
  type NewJob,
  type UnitOfWork,
} from "../../src/log/index.ts";
import { newFacts } from "../log/support/facts.ts";
import { rounds } from "../support/soak.ts";

type Open = (now: () => number) => Promise<EventLog>;

const queue = "q";

/** @param open - an empty log with that lease clock, closed after the test */
export function describeJobs(open: Open): void {
  describe("jobs", () => {
    let log: EventLog;
    let now: number;
    let ann: Lease;
    let bob: Lease;
    beforeEach(async () => {
      now = 1_000_000;
      log = await open(() => now);
      ann = await log.acquire("ann", "of ann", 1_000);
      bob = await log.acquire("bob", "of bob", 5_000);
    });
    const enqueue = (key: string, more: Partial<NewJob> = {}): Promise<unknown> =>
      log.commit((work) => {
        work.enqueueJob({ queue, key, ...more });
      });
    const claim = (key: string, lease: Lease, slots = 8): Promise<unknown> =>
      log.commit((work) => {
        work.claimJob({ queue, key, lease, slots });
      });
    const change = (how: "releaseJob" | "endJob" | "settleJob", key: string): Promise<unknown> =>
      log.commit((work) => {
        work[how](queue, key);
      });
    const keys = async (): Promise<string[]> => (await log.jobs(queue)).map(({ key }) => key);
    const holders = async (): Promise<Record<string, string | null>> =>
      Object.fromEntries((await log.jobs(queue)).map(({ key, holder }) => [key, holder?.key ?? null]));

    test("stand in line by the position of the log at which they came, the facts of their unit included", async () => {
      await log.append("s", "none", newFacts(3));
      await enqueue("z");
      await log.commit((work) => {
        work.enqueueJob({ queue, key: "a" });
        work.append("s", 3, newFacts(2));
      });
      expect(await log.jobs(queue)).toEqual([
        { queue, key: "z", order: 3, bound: null, isBoundLive: false, holder: null, isEnding: false },
        { queue, key: "a", order: 5, bound: null, isBoundLive: false, holder: null, isEnding: false },
      ]);
      expect(await log.jobs("other")).toEqual([]);
    });

    test("a key is in a queue once, and in others too", async () => {
      await enqueue("a");
      await expect(enqueue("a")).rejects.toThrow(JobTakenError);
      await expect(enqueue("a")).rejects.toMatchObject({ code: "LEMON_JOB_TAKEN", because: "there_already" });
      await enqueue("a", { queue: "other" });
      await change("settleJob", "a");
      await enqueue("a");
      expect(await log.jobs("other")).toHaveLength(1);
    });

    test("when as many wait as may, another is refused; what is held or ending does not wait", async () => {
      for (const key of ["a", "b"]) await enqueue(key, { limit: 2 });
      await expect(enqueue("c", { limit: 2 })).rejects.toThrow(JobQueueFullError);
      await expect(enqueue("c", { limit: 2 })).rejects.toMatchObject({ code: "LEMON_QUEUE_FULL", limit: 2 });
      await claim("a", ann);
      await enqueue("c", { limit: 2 });
      await change("endJob", "b");
      await enqueue("d", { limit: 2 });
      await expect(enqueue("e", { limit: 2 })).rejects.toThrow(JobQueueFullError);
      now += 1_000; // the holder of `a` is dead, and `a` waits for nobody all the same
      await change("settleJob", "c");
      await enqueue("e", { limit: 2 });
    });

    test("one holder has a job, until its lease is dead", async () => {
      await enqueue("a");
      await claim("a", ann);
      expect((await log.jobs(queue))[0]?.holder).toEqual({
        key: "ann",
        fence: 1,
        owner: "of ann",
        isLive: true,
        renewedAt: 1_000_000,
      });
      for (const lease of [ann, bob])
        await expect(claim("a", lease)).rejects.toMatchObject({ code: "LEMON_JOB_TAKEN", because: "held" });
      now += 1_000;
      expect((await log.jobs(queue))[0]?.holder).toMatchObject({ key: "ann", isLive: false });
      await claim("a", bob);
      expect(await holders()).toEqual({ a: "bob" });
      expect((await log.jobs(queue))[0]?.order).toBe(0);
    });

    test("a dead lease claims nothing", async () => {
      await enqueue("a");
      now += 1_000;
      await expect(claim("a", ann)).rejects.toThrow(FencedError);
      await log.acquire("ann", "of ann", 1_000);
      await expect(claim("a", ann)).rejects.toMatchObject({ because: "changed_hands" });
      expect(await holders()).toEqual({ a: null });
    });

    test("slots are counted over all holders that live, without those that end", async () => {
      for (const key of ["a", "b", "c", "d", "e"]) await enqueue(key);
      await claim("a", ann, 2);
      await claim("b", bob, 2);
      await expect(claim("c", bob, 2)).rejects.toThrow(LaneFullError);
      await expect(claim("c", bob, 2)).rejects.toMatchObject({ code: "LEMON_LANE_FULL", slots: 2 });
      await change("endJob", "b");
      await claim("c", bob, 2);
      await expect(claim("d", bob, 2)).rejects.toThrow(LaneFullError);
      now += 1_000; // ann is dead
      await claim("d", bob, 2);
      await expect(claim("a", bob, 2)).rejects.toThrow(LaneFullError);
      await change("settleJob", "c");
      await claim("a", bob, 2);
    });

    test("one that is gone or ends is not claimed", async () => {
      await enqueue("a");
      await change("endJob", "a");
      await expect(claim("a", ann)).rejects.toMatchObject({ because: "ending" });
      await change("releaseJob", "a");
      await expect(claim("a", ann)).rejects.toMatchObject({ because: "ending" });
      await change("settleJob", "a");
      await expect(claim("a", ann)).rejects.toMatchObject({ because: "not_there" });
    });

    test("released, it stands in its old place and is bound as it was", async () => {
      await enqueue("a", { bound: "ann" });
      await log.append("s", "none", newFacts(1));
      await enqueue("b");
      await claim("a", ann);
      await change("releaseJob", "a");
      expect(await keys()).toEqual(["a", "b"]);
      expect((await log.jobs(queue))[0]).toMatchObject({ bound: "ann", isBoundLive: true, holder: null });
    });

    test("one that is bound to a live lease is for its holder alone", async () => {
      await enqueue("a", { bound: "ann" });
      await expect(claim("a", bob)).rejects.toMatchObject({ code: "LEMON_JOB_TAKEN", because: "bound" });
      await claim("a", ann);
      await change("releaseJob", "a");
      now += 1_000;
      expect((await log.jobs(queue))[0]).toMatchObject({ bound: "ann", isBoundLive: false });
      await claim("a", bob);
    });

    test("to release, end or settle what is not there changes nothing", async () => {
      for (const how of ["releaseJob", "endJob", "settleJob"] as const) await change(how, "nobody");
      expect(await log.jobs(queue)).toEqual([]);
    });

    test("say when their holder was last heard of, however its lease went", async () => {
      const renewedAt = async (): Promise<number | undefined> =>
        (await log.jobs(queue))[0]?.holder?.renewedAt;
      await enqueue("a");
      await claim("a", ann);
      now += 400;
      await log.renew(ann);
      expect(await renewedAt()).toBe(1_000_400);
      now += 2_000;
      expect(await renewedAt()).toBe(1_000_400);
      const again = await log.acquire("ann", "of ann", 1_000); // the holder's next lease is not the holder
      expect((await log.jobs(queue))[0]?.holder).toMatchObject({
        fence: 1,
        isLive: false,
        renewedAt: 1_000_400,
      });
      await claim("a", again);
      now += 300;
      await log.release(again);
      expect((await log.jobs(queue))[0]?.holder).toMatchObject({
        fence: 2,
        owner: "of ann",
        isLive: false,
        renewedAt: 1_002_700,
      });
    });

    describe("in a unit of work", () => {
      test("are changed with its facts, or not at all", async () => {
        await enqueue("a");
        const facts = await log.commit((work) => {
          work.claimJob({ queue, key: "a", lease: ann, slots: 1 });
          work.append("s", "none", newFacts(1), { fence: ann });
        });
        expect(facts).toHaveLength(1);
        const conflict = log.commit((work) => {
          work.settleJob(queue, "a");
          work.append("s", 7, newFacts(1));
        });
        await expect(conflict).rejects.toThrow(VersionConflictError);
        expect(await holders()).toEqual({ a: "ann" });
        const taken = log.commit((work) => {
          work.append("s", 1, newFacts(1));
          work.saveSnapshot({ stream: "s", name: "n", version: 1, writer: "w", text: "{}" });
          work.enqueueJob({ queue, key: "a" });
        });
        await expect(taken).rejects.toThrow(JobTakenError);
        expect(await log.streams()).toEqual([{ stream: "s", version: 1 }]);
        expect(await log.loadSnapshots("s")).toEqual([]);
      });

      const steps: [string, string | null, (work: UnitOfWork, mine: Lease, other: Lease) => void][] = [
        [
          "enqueue and claim what is bound to oneself",
          null,
          (work, lease) => {
            work.enqueueJob({ queue, key: "n", bound: "ann" });
            work.claimJob({ queue, key: "n", lease, slots: 1 });
          },
        ],
        [
          "enqueue what is bound to another, and claim it",
          "LEMON_JOB_TAKEN",
          (work, lease) => {
            work.enqueueJob({ queue, key: "n", bound: "bob" });
            work.claimJob({ queue, key: "n", lease, slots: 1 });
          },
        ],
        [
          "enqueue twice",
          "LEMON_JOB_TAKEN",
          (work) => {
            work.enqueueJob({ queue, key: "n" });
            work.enqueueJob({ queue, key: "n" });
          },
        ],
        [
          "enqueue more than may wait",
          "LEMON_QUEUE_FULL",
          (work) => {
            work.enqueueJob({ queue, key: "n", limit: 2 });
            work.enqueueJob({ queue, key: "o", limit: 2 });
          },
        ],
        [
          "claim twice",
          "LEMON_JOB_TAKEN",
          (work, lease, other) => {
            work.claimJob({ queue, key: "a", lease, slots: 9 });
            work.claimJob({ queue, key: "a", lease: other, slots: 9 });
          },
        ],
        [
          "claim more than there are slots",
          "LEMON_LANE_FULL",
          (work, lease) => {
            work.enqueueJob({ queue, key: "n" });
            work.claimJob({ queue, key: "a", lease, slots: 1 });
            work.claimJob({ queue, key: "n", lease, slots: 1 });
          },
        ],
        [
          "end one and claim the next in its slot",
          null,
          (work, lease) => {
            work.enqueueJob({ queue, key: "n" });
            work.claimJob({ queue, key: "a", lease, slots: 1 });
            work.endJob(queue, "a");
            work.claimJob({ queue, key: "n", lease, slots: 1 });
          },
        ],
        [
          "settle and enqueue again",
          null,
          (work) => {
            work.settleJob(queue, "a");
            work.enqueueJob({ queue, key: "a", limit: 1 });
          },
        ],
      ];
      test.each(steps)(
        "each step meets what those before it will have done: %s",
        async (_name, code, does) => {
          await enqueue("a");
          const before = await log.jobs(queue);
          const done = log.commit((work) => {
            does(work, ann, bob);
          });
          if (code === null) await done;
          else {
            await expect(done).rejects.toMatchObject({ code });
            expect(await log.jobs(queue)).toEqual(before);
          }
        },
      );

      test("of units that are asked for together each meets what the earlier have done, and is refused alone", async () => {
        await Promise.all(["a", "b", "c"].map((key) => enqueue(key)));
        const outcomes = await Promise.allSettled([
          claim("a", ann, 2),
          claim("a", bob, 2),
          claim("b", bob, 2),
          claim("c", ann, 2),
          change("endJob", "a"),
          claim("c", ann, 2),
        ]);
        expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([
          true,
          false,
          true,
          false,
          true,
          true,
        ]);
        expect(await holders()).toEqual({ a: "ann", b: "bob", c: "ann" });
      });

      test("a lease that expires in the middle of a commit refuses nobody else's unit", async () => {
        let reads = Infinity;
        const ticking = await open(() => (reads-- > 0 ? 1_000 : 3_000));
        const lease = await ticking.acquire("ann", "ann", 1_000);
        await ticking.commit((work) => {
          work.enqueueJob({ queue, key: "a" });
        });
        for (let left = 0; left < 8; left += 1) {
          const others = ticking.append("s", "any", newFacts(1));
          const renewed = ticking.renew(lease);
          const claimed = ticking.commit((work) => {
            work.claimJob({ queue, key: "a", lease, slots: 1 });
          });
          reads = left;
          const outcomes = await Promise.allSettled([others, renewed, claimed]);
          expect(outcomes[0].status).toBe("fulfilled");
          reads = Infinity;
          await ticking.commit((work) => {
            work.releaseJob(queue, "a");
          });
        }
      });

      test.each<[string, (work: UnitOfWork, lease: Lease) => void]>([
        ["queue", (work) => work.enqueueJob({ queue: "", key: "a" })],
        ["key", (work) => work.settleJob(queue, "a\0")],
        ["bound", (work) => work.enqueueJob({ queue, key: "a", bound: "" })],
        ["limit", (work) => work.enqueueJob({ queue, key: "a", limit: 0 })],
        ["slots", (work, lease) => work.claimJob({ queue, key: "a", lease, slots: Number.NaN })],
      ])("an impossible %s is refused", async (field, does) => {
        const refused = log.commit((work) => {
          does(work, ann);
        });
        await expect(refused).rejects.toMatchObject({ code: "LEMON_INVALID_ENVELOPE", field });
      });
    });

    test("who holds a lease is known while it is live", async () => {
      expect(await log.holderOf("ann")).toEqual({ owner: "of ann", fence: 1, expiresAt: 1_001_000 });
      expect(await log.holderOf("nobody")).toBeNull();
      await log.release(bob);
      expect(await log.holderOf("bob")).toBeNull();
      now += 1_000;
      expect(await log.holderOf("ann")).toBeNull();
    });

    test("whatever two holders with leases that expire do, the rules hold", { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepOf, { minLength: 5, maxLength: 40 }), async (steps) => {
          const clock = { now: 1_000_000 };
          await followModel(await open(() => clock.now), clock, steps);
        }),
        { numRuns: rounds(15, 300, 3_000) },
      );
    });
  });
}

const KEYS = ["a", "b", "c", "d", "e"] as const;
const TTL_MS = 100;
const SLOTS = 2;
const LIMIT = 3;

interface Step {
  readonly does:
    | "enqueue"
    | "claim"
    | "release"
    | "end"
    | "settle"
    | "append"
    | "acquire"
    | "renew"
    | "let go"
    | "wait";
  readonly who: "ann" | "bob";
  readonly key: (typeof KEYS)[number];
  readonly bound: "ann" | "bob" | null;
  readonly ms: number;
}

const stepOf: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom<Step["does"][]>(
    ...(["enqueue", "enqueue", "claim", "claim", "claim", "release", "end", "settle"] as const),
    ...(["append", "acquire", "acquire", "renew", "let go", "wait"] as const),
  ),
  who: fc.constantFrom("ann", "bob"),
  key: fc.constantFrom(...KEYS),
  bound: fc.constantFrom(null, null, "ann", "bob"),
  ms: fc.integer({ min: 1, max: 80 }),
});

interface ModelJob {
  readonly order: number;
  readonly bound: string | null;
  readonly holder: Lease | null;
  readonly isEnding: boolean;
}

/** Does the steps to the log and to a map of jobs, and holds one against the other after each. */
async function followModel(log: EventLog, clock: { now: number }, steps: readonly Step[]): Promise<void> {
  const leases = new Map<string, Lease>(); // the newest of each, live or not
  const jobs = new Map<string, ModelJob>();
  let position = 0;
  const isLive = (lease: Lease | null | undefined): boolean =>
    lease !== null &&
    lease !== undefined &&
    leases.get(lease.key)?.fence === lease.fence &&
    (leases.get(lease.key)?.expiresAt ?? 0) > clock.now;
  const taken = (): number => [...jobs.values()].filter((job) => isLive(job.holder) && !job.isEnding).length;
  const waiting = (): number =>
    [...jobs.values()].filter((job) => job.holder === null && !job.isEnding).length;

  const refusal = ({ does, who, key }: Step): string | null => {
    const job = jobs.get(key);
    if (does === "enqueue") {
      if (job !== undefined) return "LEMON_JOB_TAKEN";
      return waiting() >= LIMIT ? "LEMON_QUEUE_FULL" : null;
    }
    if (does !== "claim") return null;
    if (!isLive(leases.get(who))) return "LEMON_FENCED";
    if (job === undefined || job.isEnding || isLive(job.holder)) return "LEMON_JOB_TAKEN";
    if (job.bound !== null && job.bound !== who && isLive(leases.get(job.bound))) return "LEMON_JOB_TAKEN";
    return taken() >= SLOTS ? "LEMON_LANE_FULL" : null;
  };
  const model = ({ does, who, key, bound }: Step): void => {
    const job = jobs.get(key);
    if (does === "enqueue") jobs.set(key, { order: position, bound, holder: null, isEnding: false });
    if (does === "settle") jobs.delete(key);
    if (job === undefined) return;
    if (does === "claim") jobs.set(key, { ...job, holder: leases.get(who) ?? null });
    if (does === "release") jobs.set(key, { ...job, holder: null });
    if (does === "end") jobs.set(key, { ...job, isEnding: true });
  };

  for (const step of steps) {
    const { does, who, key, bound, ms } = step;
    const lease = leases.get(who);
    if (does === "wait") clock.now += ms;
    else if (does === "append") position = (await log.append("s", "any", newFacts(1)))[0]?.position ?? 0;
    else if (does === "acquire") leases.set(who, await log.acquire(who, who, TTL_MS));
    else if (lease === undefined && (does === "claim" || does === "renew" || does === "let go")) continue;
    else if (does === "renew") {
      if (isLive(lease)) leases.set(who, await log.renew(lease as Lease));
    } else if (does === "let go") {
      await log.release(lease as Lease);
      if (isLive(lease)) leases.set(who, { ...(lease as Lease), expiresAt: clock.now });
    } else {
      const expected = refusal(step);
      const done = log.commit((work) => {
        if (does === "enqueue") work.enqueueJob({ queue, key, bound, limit: LIMIT });
        else if (does === "claim") work.claimJob({ queue, key, lease: lease as Lease, slots: SLOTS });
        else work[`${does}Job`](queue, key);
      });
      const code = await done.then(
        () => null,
        (error: unknown) => (error as { code: string }).code,
      );
      expect(code).toBe(expected);
      if (code === null) model(step);
    }
    const expected = [...jobs]
      .map(([name, job]) => ({
        key: name,
        order: job.order,
        bound: job.bound,
        isBoundLive: job.bound !== null && isLive(leases.get(job.bound)),
        holder: job.holder === null ? null : `${job.holder.key} ${job.holder.fence} ${isLive(job.holder)}`,
        isEnding: job.isEnding,
      }))
      .toSorted((a, b) => a.order - b.order || (a.key < b.key ? -1 : 1));
    expect((await log.jobs(queue)).map(toModel)).toEqual(expected);
    expect(taken()).toBeLessThanOrEqual(SLOTS);
  }
}

function toModel({ key, order, bound, isBoundLive, holder, isEnding }: Job): unknown {
  const held = holder === null ? null : `${holder.key} ${holder.fence} ${holder.isLive}`;
  return { key, order, bound, isBoundLive, holder: held, isEnding };
}
