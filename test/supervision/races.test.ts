/** Crashes, stops, kills and calls at the same moment: whatever the order, nothing is lost, doubled or left behind. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  startDynamicSupervisor,
  startSupervisor,
  type Strategy,
  type Supervisor,
  SupervisorError,
} from "../../src/supervision/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type FakeChild, fakeChild, settled } from "./support/fake-child.ts";
import { rounds } from "../support/soak.ts";

const raceCount = rounds(500, 2_000, 10_000);
const ids = ["a", "b", "c", "d"] as const;
type Id = (typeof ids)[number];

/** One thing that happens, `hops` promise turns after the last one: 0 is in the same breath. */
interface Act {
  readonly what:
    | "crash"
    | "exit"
    | "kill"
    | "terminate"
    | "restart"
    | "start"
    | "delete"
    | "which"
    | "tick"
    | "shutdown"
    | "kill all";
  readonly id: Id;
  readonly hops: number;
}

const common = fc.constantFrom<Act["what"][]>(
  "crash",
  "exit",
  "kill",
  "terminate",
  "restart",
  "start",
  "delete",
  "which",
  "tick",
);
const acts = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 20, arbitrary: common },
      { weight: 1, arbitrary: fc.constantFrom<Act["what"][]>("shutdown", "kill all") },
    ),
    id: fc.constantFrom(...ids),
    hops: fc.constantFrom(0, 0, 0, 1, 2, 5),
  }),
  { minLength: 5, maxLength: 40, size: "max" },
);

/** Keeps account of every child of one run. */
class Ledger {
  readonly alive = new Map<Id, Set<FakeChild>>(ids.map((id) => [id, new Set()]));
  readonly all = new Set<FakeChild>();
  doubles = 0;

  /** Some starts take their time, some fail. */
  start(id: Id, chance: () => number): FakeChild | Promise<FakeChild> {
    if (chance() < 0.1) throw new Error("this start fails");
    const make = (): FakeChild => {
      const child = fakeChild(chance() < 0.2 ? "stubborn" : "polite");
      const living = this.alive.get(id) ?? new Set();
      if (living.size > 0) this.doubles += 1;
      living.add(child);
      this.all.add(child);
      void child.exited.then(() => {
        living.delete(child);
        this.all.delete(child);
      });
      return child;
    };
    return chance() < 0.3 ? Promise.resolve().then(make) : make();
  }
}

async function play(strategy: Strategy | "dynamic", list: readonly Act[], seed: number): Promise<void> {
  const clock = new ManualClock();
  const ledger = new Ledger();
  const chance = lottery(seed);
  const spec = (id: Id) => ({ id, shutdown: 50, start: () => ledger.start(id, chance) });
  const limits = { intensity: 12, periodSeconds: 1 };
  const environment = { clock };
  const supervisor =
    strategy === "dynamic"
      ? await startDynamicSupervisor(limits, environment)
      : await startSupervisor(
          { strategy, ...limits, backoff: { firstMs: seed % 2 === 0 ? 0 : 20, maxMs: 100 } },
          environment,
        );
  const answers: Promise<unknown>[] = [];
  const expectRefusalsOnly = (answer: Promise<unknown>): void => {
    const checked = answer.catch((error: unknown) => {
      if (!(error instanceof SupervisorError)) throw error;
    });
    answers.push(checked);
  };
  for (const id of ids) expectRefusalsOnly(supervisor.startChild(spec(id)));
  for (const { what, id, hops } of list) {
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    const child = [...(ledger.alive.get(id) ?? [])].at(-1);
    if (what === "crash") child?.crash();
    else if (what === "exit") child?.exit({ kind: "normal" });
    else if (what === "kill") child?.kill();
    else if (what === "tick") clock.advance(60);
    else if (what === "kill all") supervisor.kill();
    else if (what === "shutdown") answers.push(supervisor.shutdown());
    else
      expectRefusalsOnly(
        ask(supervisor, what, id, () => spec(id), strategy === "dynamic" ? child : undefined),
      );
  }
  await rest(clock);
  await Promise.all(answers);
  if (strategy !== "dynamic") expect(ledger.doubles, "double starts").toBe(0);
  await agreeWithTree(supervisor, ledger);
  // Time moves only while the shutdown needs it, so a deadline that was not disarmed is still there at the end.
  let isOver = false;
  void supervisor.shutdown().then(() => (isOver = true));
  for (;;) {
    await settled();
    if (isOver) break;
    clock.advance(clock.nextInMs ?? 0);
  }
  expect(ledger.all.size, "children left behind").toBe(0);
  expect(clock.pending, "timers left behind").toBe(0);
}

function ask(
  supervisor: Supervisor,
  what: Act["what"],
  id: Id,
  spec: () => Parameters<Supervisor["startChild"]>[0],
  child: FakeChild | undefined,
): Promise<unknown> {
  if (what === "terminate") return supervisor.terminateChild(child ?? id);
  if (what === "restart") return supervisor.restartChild(id);
  if (what === "delete") return supervisor.deleteChild(id);
  return what === "start" ? supervisor.startChild(spec()) : supervisor.whichChildren();
}

/** Everything that lives is in the tree, and everything that the tree calls running lives. */
async function agreeWithTree(supervisor: Supervisor, ledger: Ledger): Promise<void> {
  if (supervisor.tree().state === "ended")
    return expect(ledger.all.size, "children of an ended supervisor").toBe(0);
  const rows = await supervisor.whichChildren();
  const listed = new Set(rows.map(({ child }) => child).filter((child) => typeof child === "object"));
  expect(listed).toEqual(ledger.all);
}

async function rest(clock: ManualClock): Promise<void> {
  for (;;) {
    await settled();
    const nextMs = clock.nextInMs;
    if (nextMs === undefined) return;
    clock.advance(nextMs);
  }
}

/** Repeatable chance (mulberry32). */
function lottery(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test(`${raceCount} random crash and stop races lose no child, start none twice, and leave no rejection, timer, listener or memory behind`, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag above makes
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  process.on("unhandledRejection", onRejection);
  const listeners = listenerCounts();
  const handles = handleNames();
  const strategies = fc.constantFrom<(Strategy | "dynamic")[]>(
    "one_for_one",
    "one_for_all",
    "rest_for_one",
    "dynamic",
  );
  let [played, heapAtFirst] = [0, 0];
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  try {
    await fc.assert(
      fc.asyncProperty(strategies, acts, fc.nat(), async (strategy, list, seed) => {
        await play(strategy, list, seed);
        if ((played += 1) === Math.floor(raceCount / 5)) heapAtFirst = heap();
      }),
      { numRuns: raceCount },
    );
    await settled();
    expect(rejections).toEqual([]);
    expect(listenerCounts()).toEqual(listeners);
    expect(handleNames()).toEqual(handles);
    // A single tree left behind by every round would be several times this.
    expect(heap() - heapAtFirst).toBeLessThan(raceCount * 0.8 * 2_000 + 2_000_000);
  } finally {
    process.off("unhandledRejection", onRejection);
  }
}, 600_000);

function listenerCounts(): Record<string, number> {
  return Object.fromEntries(
    ["uncaughtException", "unhandledRejection", "exit", "warning"].map((name) => [
      name,
      process.listenerCount(name),
    ]),
  );
}

/** What keeps the process alive; timers are counted by the manual clock, and those seen here are the test runner's. */
function handleNames(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name !== "Timeout")
    .toSorted();
}
