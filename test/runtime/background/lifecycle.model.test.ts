/**
 * The lifecycle of runs with processes that compete for them, on a real log, against a model that knows only: whose lease
 * lives, who was granted what, and that the first end counts. The clock of the log and those of the processes go as they like.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decideRun, ranMs } from "../../../src/actors/index.ts";
import { LemonError } from "../../../src/errors.ts";
import { presentlyBy, readRun, RunReader } from "../../../src/harness/index.ts";
import { openEventLog, type EventLog, type Lease } from "../../../src/log/index.ts";
import { silentLogger, type Clock } from "../../../src/ports.ts";
import { isFinalRun, type BackgroundRunStatus } from "../../../src/projections/index.ts";
import { RunLog } from "../../../src/runtime/background/run-log.ts";
import { Sweeper } from "../../../src/runtime/background/sweeper.ts";
import { createMasker } from "../../../src/secrets/index.ts";
import { queuedRun } from "../../support/background-runs.ts";
import { factsOf } from "../../support/runtimes.ts";
import { rounds } from "../../support/soak.ts";

const TTL_MS = 10_000;
const SLOTS = 2;
const NAMES = ["a", "b", "c"] as const;
const STARTED_AT = 1_700_000_000_000;

/** What the model holds of a run. */
interface ModelRun {
  readonly id: string;
  readonly bound: number | null;
  readonly portable: boolean;
  readonly onRestart: "resume" | "lost";
  status: BackgroundRunStatus;
  attempt: number;
  losses: number;
  grant: { readonly process: number; readonly fence: number } | null;
  /** Milliseconds that were told once it was final. */
  endedMs: number | null;
}

/** One process: a clock of its own, a lease, and what it was granted. */
class Process {
  readonly #log: EventLog;
  readonly key: string;
  wall = STARTED_AT;
  lease: Lease | null = null;
  expiresAt = 0;
  fence = 0;
  readonly grants = new Map<string, { readonly lease: Lease; readonly attempt: number }>();
  readonly runs: RunLog;
  readonly sweeper: Sweeper;
  readonly reader: RunReader;

  constructor(log: EventLog, key: string) {
    this.#log = log;
    this.key = key;
    const now = (): number => this.wall;
    const clock: Clock = { now, monotonic: () => 0, setTimer: () => () => undefined };
    this.runs = new RunLog({ log, clock, mask: createMasker([]) });
    const tidy = (): Promise<void> => Promise.resolve();
    const rest = { logger: silentLogger, role: "worker", worker: null, tidy } as const;
    this.sweeper = new Sweeper({ log, clock, runs: this.runs, ...rest });
    const presently = presentlyBy({ decideRun, ranMs }, log, now);
    this.reader = new RunReader({ log, now, presently, sessionsOf: () => Promise.resolve([]) });
  }

  async acquire(now: number): Promise<void> {
    if (this.lease === null || this.expiresAt <= now) this.fence += 1;
    this.lease = await this.#log.acquire(this.key, `process ${this.key}`, TTL_MS);
    this.expiresAt = now + TTL_MS;
    expect(this.lease.fence).toBe(this.fence);
  }

  async release(): Promise<void> {
    if (this.lease !== null) await this.#log.release(this.lease);
    this.lease = null;
    this.expiresAt = 0;
  }
}

/** Log, processes and model. */
class World {
  readonly log: EventLog;
  readonly processes: Process[];
  readonly runs: ModelRun[] = [];
  readonly #clock: { now: number };

  private constructor(log: EventLog, clock: { now: number }) {
    this.log = log;
    this.#clock = clock;
    this.processes = NAMES.map((name) => new Process(log, name));
  }

  static async open(): Promise<World> {
    const clock = { now: STARTED_AT };
    const world = new World(await openEventLog(":memory:", { now: () => clock.now }), clock);
    for (const process of world.processes) await process.acquire(clock.now);
    return world;
  }

  at(which: number): Process {
    const process = this.processes[which];
    if (process === undefined) throw new Error("there is no such process");
    return process;
  }

  run(which: number): ModelRun | undefined {
    return this.runs[which % Math.max(1, this.runs.length)];
  }

  #isLive(which: number, fence = this.at(which).fence): boolean {
    const { lease, expiresAt, fence: now } = this.at(which);
    return lease !== null && fence === now && expiresAt > this.#clock.now;
  }

  #isHeldLive({ status, grant }: ModelRun): boolean {
    return status === "running" && grant !== null && this.#isLive(grant.process, grant.fence);
  }

  async enqueue(bound: number | null, portable: boolean, onRestart: "resume" | "lost"): Promise<void> {
    if (this.runs.length === 4) return;
    const id = `bg_${this.runs.length.toString(16).padStart(16, "0")}`;
    const isPortable = portable || bound === null;
    const key = bound === null ? null : this.at(bound).key;
    const data = queuedRun(id, { portable: isPortable, onRestart });
    await this.at(bound ?? 0).runs.enqueue(id, data, { bound: key, limit: 10 });
    const rest = { status: "queued", attempt: 0, losses: 0, grant: null, endedMs: null } as const;
    this.runs.push({ id, bound, portable: isPortable, onRestart, ...rest });
  }

  /** All of them try at once: one wins, if any could. */
  async claim(claimers: readonly number[], run: ModelRun): Promise<void> {
    const may = claimers.filter((which) => this.#mayClaim(which, run));
    const won: number[] = [];
    await Promise.all(
      claimers.map(async (which) => {
        const { key, lease, runs } = this.at(which);
        if (lease === null) return;
        const event = {
          type: "claimed",
          owner: { pid: which + 1, host: "h" },
          lease: { key, fence: lease.fence },
        } as const;
        const holds = (): boolean => run.portable || run.bound === which;
        const claimed = await runs
          .claim(run.id, event, { lease, slots: SLOTS, holds })
          .catch((error: unknown) => fenced(error));
        if (typeof claimed === "object" && claimed !== null) won.push(which);
      }),
    );
    expect(won).toHaveLength(may.length > 0 ? 1 : 0);
    const [winner] = won;
    if (winner === undefined) return;
    expect(may).toContain(winner);
    run.status = "running";
    run.attempt += 1;
    const { lease, fence, grants } = this.at(winner);
    run.grant = { process: winner, fence };
    if (lease !== null) grants.set(run.id, { lease, attempt: run.attempt });
  }

  #mayClaim(which: number, run: ModelRun): boolean {
    if (run.status !== "queued" || !this.#isLive(which)) return false;
    if (this.runs.filter((other) => this.#isHeldLive(other)).length >= SLOTS) return false;
    if (run.bound === which) return true;
    return run.portable && (run.bound === null || !this.#isLive(run.bound));
  }

  async renew(which: number): Promise<void> {
    const process = this.at(which);
    if (process.lease === null) return;
    const isLive = this.#isLive(which);
    const renewed = await this.log.renew(process.lease).catch((error: unknown) => fenced(error));
    expect(renewed !== null).toBe(isLive);
    if (renewed === null) return;
    process.lease = renewed;
    process.expiresAt = this.#clock.now + TTL_MS;
  }

  acquire(which: number): Promise<void> {
    return this.at(which).acquire(this.#clock.now);
  }

  pass(ms: number): void {
    this.#clock.now += ms;
  }

  /** All of them look at once: each loss is counted once. */
  async sweep(sweepers: readonly number[]): Promise<void> {
    for (const run of this.runs) this.#lose(run);
    await Promise.all(sweepers.map((which) => this.at(which).sweeper.sweep()));
    await Promise.all(sweepers.map((which) => this.at(which).sweeper.idle()));
  }

  #lose(run: ModelRun): void {
    const isOrphan = run.bound !== null && !this.#isLive(run.bound) && !run.portable;
    if (run.status === "queued" && isOrphan) run.status = "lost";
    if (run.status !== "running" || this.#isHeldLive(run)) return;
    if (isOrphan || run.onRestart === "lost" || run.losses === 3) run.status = "lost";
    else {
      run.status = "queued";
      run.losses += 1;
    }
  }

  /** The owner of an attempt records its end, under the lease that it had: in time, or too late. */
  async end(which: number, run: ModelRun, how: "completed" | "failed" | "timeout"): Promise<void> {
    const process = this.at(which);
    const grant = process.grants.get(run.id);
    if (grant === undefined) return;
    const isCurrent = run.status === "running" && run.attempt === grant.attempt;
    const counts = isCurrent && this.#isLive(which, grant.lease.fence);
    const now = process.wall;
    const outcome = { status: "completed", stopReason: "end_turn", error: null } as const;
    const event =
      how === "timeout"
        ? ({ type: "time_up", now, partialText: null } as const)
        : ({
            type: "session_ended",
            now,
            outcome: { ...outcome, text: how === "failed" ? "" : "Done." },
          } as const);
    const decision = await this.#recordOwn(which, run, event);
    expect(decision !== null).toBe(counts);
    if (counts) run.status = how;
  }

  #recordOwn(which: number, run: ModelRun, event: Parameters<RunLog["record"]>[1]): Promise<unknown> {
    const process = this.at(which);
    const grant = process.grants.get(run.id);
    if (grant === undefined) return Promise.resolve(null);
    const { lease, attempt } = grant;
    return process.runs
      .record(run.id, event, { lease, holds: ({ start }) => start?.attempt === attempt })
      .catch((error: unknown) => fenced(error));
  }

  /** The owner has stopped all of a run that is over. */
  async finish(which: number, run: ModelRun): Promise<void> {
    const { grants, runs } = this.at(which);
    if (grants.get(run.id)?.attempt === run.attempt && run.status !== "running" && run.status !== "queued")
      await runs.settle(run.id);
  }

  async cancel(which: number, run: ModelRun): Promise<void> {
    const { runs, wall } = this.at(which);
    const isOpen = run.status === "queued" || run.status === "running";
    const decision = await runs.record(run.id, { type: "cancelled", now: wall, reason: "enough" });
    expect(decision !== null).toBe(isOpen);
    if (isOpen) run.status = "cancelled";
  }

  /** A cancel and the end meet: the first one is right, and it is only one. */
  async cancelWhileEnding(which: number, run: ModelRun): Promise<void> {
    if (!this.#isHeldLive(run) || run.grant === null) return;
    const { process: owner } = run.grant;
    const { runs, wall } = this.at(which);
    const decisions = await Promise.all([
      runs.record(run.id, { type: "cancelled", now: wall, reason: null }),
      this.#recordOwn(owner, run, { type: "time_up", now: this.at(owner).wall, partialText: null }),
    ]);
    expect(decisions.filter((decision) => decision !== null)).toHaveLength(1);
    run.status = decisions[0] === null ? "timeout" : "cancelled";
  }

  /** Taken, and then its process stands still; so many times. */
  async die(which: number, run: ModelRun, times: number): Promise<void> {
    for (let left = times; left > 0; left -= 1) {
      await this.acquire(which);
      await this.claim([which], run);
      this.pass(TTL_MS);
      await this.sweep([0, 1]);
    }
  }

  async leave(which: number): Promise<void> {
    for (const run of this.runs) {
      if (run.grant?.process !== which || !this.#isHeldLive(run)) continue;
      const event = { type: "owner_leaves", now: this.at(which).wall } as const;
      expect(await this.#recordOwn(which, run, event)).not.toBeNull();
      run.status = run.onRestart === "lost" ? "lost" : "queued";
    }
    await this.at(which).release();
  }

  /** What must hold at any moment. */
  async check(asker: number): Promise<void> {
    const jobs = await this.log.jobs("background");
    const live = jobs.filter(({ holder, isEnding }) => holder?.isLive === true && !isEnding);
    expect(live.length).toBeLessThanOrEqual(SLOTS);
    expect(live.map(({ key }) => key).toSorted()).toEqual(
      this.runs.filter((run) => this.#isHeldLive(run)).map(({ id }) => id),
    );
    for (const run of this.runs) {
      const view = await readRun(this.log, run.id);
      const { status, losses } = view;
      expect({ status, losses, attempt: view.start?.attempt ?? 0 }).toEqual({
        status: run.status,
        losses: run.losses,
        attempt: run.attempt,
      });
      if (!isFinalRun(view))
        expect(jobs.find(({ key }) => key === run.id)).toMatchObject({ isEnding: false });
      else expect(jobs.find(({ key, isEnding }) => key === run.id && !isEnding)).toBeUndefined();
      await this.#checkFacts(run);
      await this.#checkTold(asker, run);
    }
  }

  async #checkFacts({ id }: ModelRun): Promise<void> {
    const told = (await factsOf(this.log, `background-${id}`)).map(({ type }) => type.slice(15)).join(" ");
    expect(told).toMatch(
      /^queued( started requeued)*(( started)?( (completed|timed_out|cancelled|failed|lost))?)$/,
    );
  }

  async #checkTold(asker: number, run: ModelRun): Promise<void> {
    const { status, elapsedMs, owner, completedAt } = await this.at(asker).reader.status(run.id);
    expect(elapsedMs).toBeGreaterThanOrEqual(0);
    // Nobody is told that it runs while nobody works on it.
    expect(status === "running").toBe(this.#isHeldLive(run));
    expect(owner === null).toBe(status !== "running");
    if (run.status === "queued" || run.status === "running") return;
    expect(status).toBe(run.status);
    expect(completedAt).not.toBeNull();
    run.endedMs ??= elapsedMs;
    expect(elapsedMs).toBe(run.endedMs);
  }
}

/** `null` for a refusal since the lease is dead; anything else is a fault. */
function fenced(error: unknown): null {
  if (error instanceof LemonError && error.reason === "fenced") return null;
  throw error;
}

type Step = (world: World) => unknown;

/** A step that tells in a counterexample what it is. */
function step(words: string, take: Step): Step & { [fc.toStringMethod]: () => string } {
  return Object.assign((world: World) => take(world), { [fc.toStringMethod]: () => words });
}

function onRun(words: string, which: number, take: (world: World, run: ModelRun) => unknown): Step {
  return step(`${words}, run ${which}`, (world) => {
    const run = world.run(which);
    return run === undefined ? undefined : take(world, run);
  });
}

const process = fc.nat(2);
const run = fc.nat(3);
const some = fc.uniqueArray(process, { minLength: 1, maxLength: 3 });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.option(process), fc.boolean(), fc.constantFrom("resume" as const, "resume" as const, "lost"))
      .map(([bound, portable, onRestart]) =>
        step(`enqueue ${bound}, ${portable}, ${onRestart}`, (world) =>
          world.enqueue(bound, portable, onRestart === "lost" ? "lost" : "resume"),
        ),
      ),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(some, run)
      .map(([who, which]) => onRun(`claim by ${who.join()}`, which, (world, it) => world.claim(who, it))),
  },
  { weight: 3, arbitrary: process.map((who) => step(`renew ${who}`, (world) => world.renew(who))) },
  { weight: 4, arbitrary: process.map((who) => step(`acquire ${who}`, (world) => world.acquire(who))) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(1, 3_000, 9_999, 10_000, 12_000)
      .map((ms) => step(`pass ${ms}`, (world) => world.pass(ms))),
  },
  { weight: 4, arbitrary: some.map((who) => step(`sweep ${who.join()}`, (world) => world.sweep(who))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(process, run, fc.constantFrom("completed" as const, "failed" as const, "timeout" as const))
      .map(([who, which, how]) => onRun(`${how} by ${who}`, which, (world, it) => world.end(who, it, how))),
  },
  fc.tuple(process, run).map(([who, which]) => onRun(`finish ${who}`, which, (w, it) => w.finish(who, it))),
  fc.tuple(process, run).map(([who, which]) => onRun(`cancel ${who}`, which, (w, it) => w.cancel(who, it))),
  fc
    .tuple(process, run)
    .map(([who, which]) =>
      onRun(`cancel while ending ${who}`, which, (w, it) => w.cancelWhileEnding(who, it)),
    ),
  {
    weight: 4,
    arbitrary: fc
      .tuple(process, run, fc.integer({ min: 1, max: 4 }))
      .map(([who, which, times]) =>
        onRun(`die ${who}, ${times} times`, which, (world, it) => world.die(who, it, times)),
      ),
  },
  process.map((who) => step(`leave ${who}`, (world) => world.leave(who))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(process, fc.constantFrom(-3_600_000, -1, 1, 500, 3_600_000))
      .map(([who, ms]) => step(`clock of ${who} ${ms}`, (world) => (world.at(who).wall += ms))),
  },
);

test("processes that compete for runs, whatever they and their clocks do", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = await World.open();
      try {
        for (const [index, take] of steps.entries()) {
          await take(world);
          await world.check(index % NAMES.length);
        }
      } finally {
        await world.log.close();
      }
    }),
    { numRuns: rounds(200, 2_000, 20_000) },
  );
});
