/** Who is ended when the process grows, and how the starts of many are spread. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EvaluationQueue } from "../../src/extensions/host/evaluation-queue.ts";
import { MemoryWatch, type Watched } from "../../src/extensions/host/memory-watch.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

const mib = 1024 * 1024;

function worker(options: Partial<Omit<Watched, "endForMemory">> = {}): Watched & { ended: number[] } {
  const ended: number[] = [];
  return {
    isBusy: false,
    reportedKib: 0,
    ping: async () => true,
    endForMemory: (grown) => void ended.push(grown),
    ended,
    ...options,
  };
}

function watch(): {
  clock: ManualClock;
  size: { mib: number };
  memory: MemoryWatch;
  settle: () => Promise<void>;
} {
  const clock = new ManualClock();
  const size = { mib: 100 };
  const memory = new MemoryWatch({ clock, limitMib: 512, residentBytes: () => size.mib * mib });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { clock, size, memory, settle };
}

describe("when the process has grown by more than its limit", () => {
  it("the worker with the largest heap is ended, where the system can tell", async () => {
    const { clock, size, memory, settle } = watch();
    const small = worker({ heapBytes: async () => 5, reportedKib: 9, isBusy: true });
    const large = worker({ heapBytes: async () => 7 });
    for (const one of [small, large]) memory.add(one);
    size.mib += 513;
    clock.advance(50);
    await settle();
    expect([small.ended, large.ended]).toEqual([[], [513]]);
  });
  it("else the busy one that does not answer", async () => {
    const { clock, size, memory, settle } = watch();
    const silent = worker({ isBusy: true, ping: async () => false });
    const other = worker({ isBusy: true, reportedKib: 99 });
    for (const one of [silent, other]) memory.add(one);
    size.mib += 600;
    clock.advance(50);
    await settle();
    expect([silent.ended, other.ended]).toEqual([[600], []]);
  });
  it("else the one that last reported the most", async () => {
    const { clock, size, memory, settle } = watch();
    const [a, b] = [worker({ reportedKib: 3 }), worker({ reportedKib: 4 })];
    for (const one of [a, b]) memory.add(one);
    size.mib += 600;
    clock.advance(50);
    await settle();
    expect([a.ended, b.ended]).toEqual([[], [600]]);
  });
  it("nobody is ended for what was there before the last worker came or went", async () => {
    const { clock, size, memory, settle } = watch();
    const [a, b] = [worker(), worker()];
    memory.add(a);
    size.mib += 600;
    memory.add(b);
    clock.advance(2000);
    size.mib += 600;
    memory.remove(b);
    clock.advance(2000);
    await settle();
    expect([a.ended, b.ended]).toEqual([[], []]);
    memory.remove(a);
    expect(clock.pending).toBe(0);
  });
  it("it is seen within 50 ms of a call, and within a second otherwise", () => {
    const { clock, memory } = watch();
    memory.add(worker());
    clock.advance(50);
    expect(clock.nextInMs).toBe(1000);
    memory.busy();
    expect(clock.nextInMs).toBe(50);
  });
});

it("a tool that leaks ends its own worker, and counts", async () => {
  await using t = await testWorld({ memoryLimitMib: 150 });
  const { members } = await t.open(
    withTools({
      leak: "const kept = []; for (let i = 0; ; i += 1) { kept.push(new Array(1e5).fill(i)); if (i % 20 === 0) await new Promise((go) => setTimeout(go)) }",
      ok: "return text('ok')",
    }),
  );
  await expect(callTool(members, "leak")).rejects.toThrow(/Tool task crashed: the process grew by \d+ MiB/);
  expect(await textOf(callTool(members, "ok"))).toBe("ok");
  expect(t.seen.restarted).toMatchObject([{ cause: "memory" }]);
});

describe("evaluations", () => {
  it("four at a time are in their first second, a slower one makes room, and the order of starts holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 20 }),
        async (durations) => {
          const clock = new ManualClock();
          const queue = new EvaluationQueue(clock);
          const started: number[] = [];
          const young = new Set<number>();
          let most = 0;
          const all = durations.map((ms, index) =>
            queue.run(async () => {
              started.push(index);
              young.add(index);
              most = Math.max(most, young.size);
              clock.setTimer(Math.min(ms, 1000), () => young.delete(index));
              await new Promise<void>((done) => clock.setTimer(ms, done));
              return index;
            }),
          );
          let results: number[] | undefined;
          void Promise.all(all).then((done) => (results = done));
          while (results === undefined) {
            for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
            clock.advance(50);
          }
          expect(results).toEqual(durations.map((_, index) => index));
          expect(started).toEqual(results);
          expect(most).toBeLessThanOrEqual(4);
        },
      ),
      { numRuns: 30 },
    );
  });
  it("one that fails makes room too", async () => {
    const queue = new EvaluationQueue(new ManualClock());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) => queue.run(() => Promise.reject(new Error(String(index))))),
    );
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  });
});
