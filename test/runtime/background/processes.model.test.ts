/** Random lives of runs, with processes that freeze, die, leave and disagree about the time. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decideRun, ranMs } from "../../../src/actors/index.ts";
import { upcast, type FactOf, type FactType } from "../../../src/events/index.ts";
import { BACKGROUND_QUEUE, presentlyBy, runStreamName } from "../../../src/harness/index.ts";
import { readPresentRun } from "../../../src/harness/background/present.ts";
import { openEventLog, type EventLog } from "../../../src/log/index.ts";
import { isFinalRun } from "../../../src/projections/index.ts";
import { RunLog } from "../../../src/runtime/background/run-log.ts";
import { createMasker } from "../../../src/secrets/index.ts";
import { temporaryFile } from "../../log/support/facts.ts";
import { queuedRun } from "../../support/background-runs.ts";
import { rounds } from "../../support/soak.ts";
import { outcome, Process, rest, SetClock, World } from "./support/world.ts";

const LEASE_MS = 10_000;
const STEP_MS = 500;

type RunFact = FactOf<Extract<FactType, `background_run.${string}`>>;

type Step =
  | {
      readonly do: "enqueue";
      readonly boundTo: number | null;
      readonly portable: boolean;
      readonly timeoutMs: number;
      readonly onRestart: "resume" | "lost";
    }
  | { readonly do: "advance"; readonly steps: number }
  | { readonly do: "end"; readonly run: number; readonly as: "completed" | "blank" | "failed" }
  | { readonly do: "cancel"; readonly run: number }
  | { readonly do: "kill" | "freeze" | "stall" | "thaw" | "close"; readonly process: number }
  | { readonly do: "jump"; readonly process: number; readonly ms: number }
  | { readonly do: "skip"; readonly ms: number }
  | { readonly do: "boot" };

const index = fc.nat(7);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("enqueue" as const),
      boundTo: fc.option(index, { freq: 2 }),
      portable: fc.boolean(),
      timeoutMs: fc.constantFrom(4_000, 25_000, 600_000),
      onRestart: fc.constantFrom("resume" as const, "resume" as const, "lost" as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("advance" as const), steps: fc.integer({ min: 1, max: 24 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      run: index,
      as: fc.constantFrom("completed" as const, "completed" as const, "blank" as const, "failed" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), run: index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("kill" as const, "freeze", "stall", "thaw", "thaw", "close"),
      process: index,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("jump" as const),
      process: index,
      ms: fc.integer({ min: -60_000, max: 60_000 }),
    }),
  },
  // The log's own clock runs ahead of everybody's: leases end early.
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("skip" as const), ms: fc.integer({ min: 1, max: 12_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("boot" as const) }) },
);

/** What was seen of a run before. */
interface Seen {
  readonly attempt: number;
  readonly now: number;
  readonly elapsedMs: number;
  readonly isFinal: boolean;
}

/** A history as it is played. */
class Play {
  readonly world: World;
  readonly logNow: { ms: number };
  readonly caller = new SetClock();
  readonly runs: RunLog;
  readonly ids: string[] = [];
  readonly seen = new Map<string, Seen>();
  readonly log: EventLog;
  isTimeStraight = true;

  constructor(handles: readonly [EventLog, ...EventLog[]], logNow: { ms: number }, slots: number) {
    const [log] = handles;
    this.log = log;
    this.logNow = logNow;
    this.world = new World(handles, slots);
    this.runs = new RunLog({ log, clock: this.caller, mask: createMasker([]) });
  }

  async step(step: Step): Promise<void> {
    const { world } = this;
    const process =
      "process" in step ? world.alive[step.process % Math.max(1, world.alive.length)] : undefined;
    switch (step.do) {
      case "enqueue":
        return this.#enqueue(step);
      case "advance":
        for (let left = step.steps; left > 0; left -= 1) {
          this.#pass(STEP_MS);
          await rest(world);
        }
        return;
      case "end":
        return this.end(this.ids[step.run % Math.max(1, this.ids.length)] ?? "", step.as);
      case "cancel": {
        const id = this.ids[step.run % Math.max(1, this.ids.length)];
        if (id !== undefined)
          await this.runs.record(id, { type: "cancelled", reason: null, now: this.caller.now() });
        return;
      }
      case "kill":
        return process?.kill();
      case "freeze":
        if (process?.state === "runs") process.freeze();
        return;
      case "stall":
        if (process?.state === "runs") process.stall();
        return;
      case "thaw":
        return process?.thaw();
      case "close":
        if (process?.state === "runs") void process.close();
        return;
      case "jump":
        this.isTimeStraight = false;
        if (process !== undefined) process.clock.offsetMs += step.ms;
        return;
      case "skip":
        this.isTimeStraight = false;
        this.logNow.ms += step.ms;
        return;
      case "boot":
        if (world.alive.length < 3) await Process.boot(world);
    }
  }

  /** Its model comes to an end, wherever that is asked at the moment. */
  async end(id: string, as: "completed" | "blank" | "failed"): Promise<void> {
    const how = {
      completed: outcome("Done."),
      blank: outcome(" "),
      failed: outcome("Half", "failed", "error"),
    }[as];
    for (const process of this.world.alive)
      if (process.state === "runs") await process.open.get(id)?.end(how);
  }

  #pass(ms: number): void {
    this.logNow.ms += ms;
    this.caller.advance(ms);
    for (const process of this.world.alive) process.advance(ms);
  }

  async #enqueue({
    boundTo,
    portable,
    timeoutMs,
    onRestart,
  }: Extract<Step, { do: "enqueue" }>): Promise<void> {
    const id = `bg_${this.ids.length.toString(16).padStart(16, "0")}`;
    const bound =
      boundTo === null
        ? null
        : (this.world.alive[boundTo % Math.max(1, this.world.alive.length)]?.key ?? null);
    // What is for anybody can be done by anybody.
    const said = { portable: bound === null || portable, timeoutMs, onRestart };
    await this.runs.enqueue(id, queuedRun(id, said), { bound, limit: 1_000 });
    this.ids.push(id);
  }

  /** What holds at any time. @param since - position of the log's last fact when the step began */
  async check(since: number): Promise<void> {
    const jobs = await this.log.jobs(BACKGROUND_QUEUE);
    const held = jobs.filter(({ holder, isEnding }) => holder?.isLive === true && !isEnding);
    expect(held.length, "live holders").toBeLessThanOrEqual(this.world.slots);
    for (const id of this.ids) {
      await this.#checkFacts(id);
      await this.#checkStatus(id);
    }
    await this.#checkOrder(since);
  }

  async #checkFacts(id: string): Promise<void> {
    let attempt = 0;
    let losses = 0;
    let status: "queued" | "running" | "final" = "queued";
    for (const { type, data } of await this.factsOf(id)) {
      if (type === "background_run.text_recorded" || type === "background_run.approval_answered") continue;
      expect(status, `${id}: ${type} comes after its end`).not.toBe("final");
      if (type === "background_run.queued") continue;
      if (type === "background_run.started") {
        expect(status, `${id} is started again while it runs`).toBe("queued");
        expect(data.attempt).toBe((attempt += 1));
        status = "running";
      } else if (type === "background_run.requeued") {
        expect(status).toBe("running");
        if (data.cause === "owner_lost") losses += 1;
        status = "queued";
      } else {
        if (type === "background_run.timed_out" && this.isTimeStraight) {
          const { view } = await readPresentRun(this.log, id);
          expect(data.ranMs).toBeGreaterThanOrEqual(view.queued?.timeoutMs ?? 0);
        }
        status = "final";
      }
    }
    expect(losses, "losses after which it was put back").toBeLessThanOrEqual(3);
    // One grant, one start; and whoever goes on asks no second time.
    const session = this.world.sessions.get(id);
    expect(session?.opened ?? 0).toBeLessThanOrEqual(attempt);
    expect(session?.prompts ?? 0).toBeLessThanOrEqual(1);
  }

  async #checkStatus(id: string): Promise<void> {
    const now = this.caller.now();
    const run = await readPresentRun(this.log, id);
    const { job } = run;
    const lease = run.view.start?.lease ?? null;
    if (isFinalRun(run.view)) expect(job?.isEnding ?? true, `${id} is over, and out of the lane`).toBe(true);
    else {
      expect(job?.isEnding, `${id} is in line`).toBe(false);
      const holder = job?.holder ?? null;
      const isHeld = holder !== null && holder.key === lease?.key && holder.fence === lease.fence;
      expect(isHeld, `${id} is held by whoever started it`).toBe(run.view.status === "running");
    }
    const rules = { decideRun, ranMs };
    const { view, elapsedMs } = await presentlyBy(rules, this.log, () => now)(run);
    if (view.status === "running") {
      // Somebody works on it, or did so at most the life of a lease ago.
      const owner = this.world.processes.find(({ key }) => key === lease?.key);
      const works = owner?.state === "runs" && owner.dispatcher.owned(id) !== null;
      const isExpiring = owner?.state !== "runs" && (job?.holder?.renewedAt ?? 0) + LEASE_MS > this.logNow.ms;
      expect(works || isExpiring, `${id} is said to run`).toBe(true);
    }
    expect(elapsedMs).toBeGreaterThanOrEqual(0);
    const before = this.seen.get(id);
    const attempt = view.start?.attempt ?? 0;
    if (before?.isFinal === true) expect(elapsedMs, `${id} stands still`).toBe(before.elapsedMs);
    else if (before?.attempt === attempt && view.status === "running")
      expect(elapsedMs, `${id} goes on`).toBeGreaterThanOrEqual(before.elapsedMs);
    this.seen.set(id, { attempt, now, elapsedMs, isFinal: isFinalRun(run.view) });
  }

  /** Of what one process may take it takes the first; what came back in the same step may have come too late for it. */
  async #checkOrder(since: number): Promise<void> {
    const all: { readonly id: string; readonly fact: RunFact }[] = [];
    for (const id of this.ids) for (const fact of await this.factsOf(id)) all.push({ id, fact });
    all.sort((a, b) => a.fact.position - b.fact.position);
    const waits = new Map<string, number>();
    for (const { id, fact } of all) {
      if (fact.type === "background_run.queued" || fact.type === "background_run.requeued")
        waits.set(id, fact.position);
      else if (fact.type === "background_run.started") {
        waits.delete(id);
        if (fact.position <= since) continue;
        const { key } = fact.data.lease;
        const isBusyWith = (other: string): boolean =>
          this.world.processes.find((process) => process.key === key)?.dispatcher.owned(other) !== null;
        for (const [other, at] of waits) {
          if (at > since || isBusyWith(other)) continue;
          const bound = this.#bounds.get(other) ?? null;
          if (bound !== null && bound !== key) continue;
          expect(this.ids.indexOf(id), `${id} is taken before ${other}`).toBeLessThan(
            this.ids.indexOf(other),
          );
        }
      } else if (!["background_run.text_recorded", "background_run.approval_answered"].includes(fact.type))
        waits.delete(id);
    }
    for (const { key, bound } of await this.log.jobs(BACKGROUND_QUEUE)) this.#bounds.set(key, bound);
  }
  readonly #bounds = new Map<string, string | null>();

  async factsOf(id: string): Promise<RunFact[]> {
    const facts: RunFact[] = [];
    for await (const fact of this.log.read(runStreamName(id))) facts.push(upcast(fact) as RunFact);
    return facts;
  }

  /** In the end all come to an end, and nothing is left. */
  async drain(): Promise<void> {
    for (const process of this.world.alive) process.thaw();
    await rest(this.world);
    await Process.boot(this.world);
    for (let round = 0; round < 80; round += 1) {
      this.#pass(STEP_MS);
      await rest(this.world);
      for (const id of this.ids) await this.end(id, "completed");
      await rest(this.world);
      if ((await this.log.jobs(BACKGROUND_QUEUE)).length === 0) break;
    }
    expect(await this.log.jobs(BACKGROUND_QUEUE), "what is left in line").toEqual([]);
    for (const id of this.ids) expect(isFinalRun(await this.runs.viewOf(id)), `${id} has ended`).toBe(true);
    await this.check(Infinity);
    for (const process of this.world.alive) await process.close();
  }
}

async function play(
  handles: readonly [EventLog, ...EventLog[]],
  logNow: { ms: number },
  slots: number,
  steps: readonly Step[],
): Promise<void> {
  const run = new Play(handles, logNow, slots);
  try {
    await Process.boot(run.world);
    await Process.boot(run.world);
    for (const step of steps) {
      const { head } = await run.log.info();
      await run.step(step);
      await rest(run.world);
      await run.check(head?.position ?? 0);
    }
    await run.drain();
  } finally {
    for (const process of run.world.alive) process.kill();
    for (const log of handles) await log.close();
  }
}

const START_MS = 1_700_000_000_000;

test("runs end once, start once for each grant, and never seem to run when nobody works on them", async () => {
  const property = fc.asyncProperty(
    fc.array(anyStep, { minLength: 5, maxLength: 40 }),
    fc.integer({ min: 1, max: 3 }),
    async (steps, slots) => {
      const logNow = { ms: START_MS };
      await play([await openEventLog(":memory:", { now: () => logNow.ms })], logNow, slots, steps);
    },
  );
  await fc.assert(property, { numRuns: rounds(60, 600, 6_000) });
}, 3_600_000);

test("the same with two handles of a file", async () => {
  const property = fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 40 }), async (steps) => {
    const logNow = { ms: START_MS };
    const file = temporaryFile();
    const open = (): Promise<EventLog> => openEventLog(file, { now: () => logNow.ms, durability: "relaxed" });
    await play([await open(), await open()], logNow, 2, steps);
  });
  await fc.assert(property, { numRuns: rounds(5, 50, 500) });
}, 3_600_000);
