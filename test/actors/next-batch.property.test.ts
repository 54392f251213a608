import fc from "fast-check";
import { expect, test } from "vitest";
import { nextBatch, type BatchCall } from "../../src/actors/session/next-batch.ts";

const traits = fc.array(fc.boolean(), { maxLength: 12 });
const limit = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null });

/** Runs a batch, ending one running call at a time as `picks` says, and hands each moment to `look`. */
function run(
  flags: readonly boolean[],
  max: number | null,
  picks: readonly number[],
  look: (running: readonly BatchCall[], calls: readonly BatchCall[]) => void,
): BatchCall[] {
  let calls: BatchCall[] = flags.map((parallelSafe, index) => ({
    callId: String(index),
    parallelSafe,
    state: "queued",
  }));
  const mark = (ids: ReadonlySet<string>, state: BatchCall["state"]): void => {
    calls = calls.map((call) => (ids.has(call.callId) ? { ...call, state } : call));
  };
  for (let step = 0; calls.some(({ state }) => state !== "ended"); step += 1) {
    mark(new Set(nextBatch(calls, max).map(({ callId }) => callId)), "running");
    const running = calls.filter(({ state }) => state === "running");
    look(running, calls);
    expect(running.length).toBeGreaterThan(0);
    const ended = running[(picks[step] ?? 0) % running.length];
    mark(new Set([ended?.callId ?? ""]), "ended");
  }
  return calls;
}

test("every call starts, at most the limit at once, and one that is not parallel-safe runs alone and in its place", () => {
  fc.assert(
    fc.property(traits, limit, fc.array(fc.nat(), { maxLength: 12 }), (flags, max, picks) => {
      run(flags, max, picks, (running, calls) => {
        expect(running.length).toBeLessThanOrEqual(max ?? Number.POSITIVE_INFINITY);
        for (const call of running) {
          if (call.parallelSafe) continue;
          expect(running).toHaveLength(1);
          const place = Number(call.callId);
          expect(calls.slice(0, place).every(({ state }) => state === "ended")).toBe(true);
        }
        const firstQueued = calls.findIndex(({ state }) => state === "queued");
        if (firstQueued >= 0)
          expect(calls.slice(firstQueued).every(({ state }) => state === "queued")).toBe(true);
      });
    }),
  );
});

test("consecutive parallel-safe calls really overlap", () => {
  const seen: number[] = [];
  run([true, true, false, true, true], null, [], (running) => seen.push(running.length));
  expect(seen).toEqual([2, 1, 1, 2, 1]);
});
