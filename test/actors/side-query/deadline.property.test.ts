import fc from "fast-check";
import { expect, test } from "vitest";
import { Deadline } from "../../../src/actors/index.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { rounds } from "../../support/soak.ts";

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("work counts if it ends before the time and before anybody cancels, and nothing is left armed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.option(fc.integer({ min: 1, max: 100 })),
      fc.option(fc.integer({ min: 1, max: 100 })),
      fc.option(fc.integer({ min: 1, max: 100 })),
      async (timeoutMs, workMs, cancelMs, abortMs) => {
        const clock = new ManualClock();
        const caller = new AbortController();
        const deadline = new Deadline(clock, timeoutMs, caller.signal);
        // Armed after the deadline's own: what is due at the same moment comes after it.
        if (cancelMs !== null) clock.setTimer(cancelMs, () => deadline.cancel());
        if (abortMs !== null) clock.setTimer(abortMs, () => caller.abort());
        let fired = "";
        deadline.signal.addEventListener(
          "abort",
          () => (fired = (deadline.signal.reason as { reason: string }).reason),
        );
        const asked = deadline.bound(
          () =>
            new Promise<string>(
              (resolve) => void (workMs !== null && clock.setTimer(workMs, () => resolve("done"))),
            ),
        );
        const outcome = asked.catch((error: unknown) => (error as { reason: string }).reason);
        await settle();
        for (let ms = 0; ms < 101; ms += 1) {
          clock.advance(1);
          await settle();
        }
        const endedAt = Math.min(timeoutMs, cancelMs ?? Infinity, abortMs ?? Infinity);
        const why = endedAt === timeoutMs ? "timeout" : "cancelled";
        // At the same moment the deadline wins: its timer was armed first.
        if (workMs !== null && workMs < endedAt) expect(await outcome).toBe("done");
        else if (workMs !== endedAt) expect(await outcome).toBe(why);
        expect(fired).toBe(why);
        expect(deadline.remainingMs).toBe(0);
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: rounds(15, 200, 2_000) },
  );
});

test("a signal that has fired before is an end at once", async () => {
  const clock = new ManualClock();
  const deadline = new Deadline(clock, 10, AbortSignal.abort());
  let begun = false;
  await expect(deadline.bound(() => (begun = true))).rejects.toMatchObject({ reason: "cancelled" });
  expect(begun).toBe(false);
  expect(clock.pending).toBe(0);
});

test("a closed deadline never ends, and sleep ends with it", async () => {
  const clock = new ManualClock();
  const closed = new Deadline(clock, 10);
  closed.close();
  clock.advance(20);
  expect(closed.signal.aborted).toBe(false);
  const open = new Deadline(clock, 10);
  const slept = open.sleep(50).catch((error: unknown) => error);
  await settle();
  clock.advance(10);
  expect(await slept).toMatchObject({ reason: "timeout" });
  await settle();
  expect(clock.pending).toBe(0);
});
