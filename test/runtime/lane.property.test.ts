/** Lanes against a list: who is first in line gets the next slot, and never more than there are. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Lane, type Slot } from "../../src/runtime/lane.ts";
import { rounds } from "../support/soak.ts";

type Step =
  | { readonly do: "acquire"; readonly ahead: boolean }
  | { readonly do: "release" | "abort"; readonly which: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("acquire" as const), ahead: fc.boolean() }) },
    fc.record({ do: fc.constantFrom("release" as const, "abort" as const), which: fc.nat(20) }),
  ),
  { maxLength: 60 },
);

test("slots go in order of arrival, who gave one back before newcomers, and never more than the limit are held", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (limit, taken) => {
      const lane = new Lane(limit);
      const granted: number[] = [];
      const slots = new Map<number, Slot>();
      const signals = new Map<number, AbortController>();
      const aborted = new Set<number>();
      // The model: who waits, in order, and who holds.
      let line: { id: number; ahead: boolean }[] = [];
      const holders: number[] = [];
      const order: number[] = [];
      const grant = (): void => {
        while (holders.length < limit && line.length > 0) {
          const [first] = line.splice(0, 1);
          if (first !== undefined) {
            holders.push(first.id);
            order.push(first.id);
          }
        }
      };
      for (const [id, step] of taken.entries()) {
        if (step.do === "acquire") {
          const abort = new AbortController();
          signals.set(id, abort);
          lane.acquire(abort.signal, step.ahead).then(
            (slot) => {
              granted.push(id);
              slots.set(id, slot);
            },
            () => aborted.add(id),
          );
          const place = step.ahead ? line.filter(({ ahead }) => ahead).length : line.length;
          line.splice(place, 0, { id, ahead: step.ahead });
        } else if (step.do === "release" && holders.length > 0) {
          const [id] = holders.splice(step.which % holders.length, 1);
          slots.get(id ?? -1)?.release();
          // Once is enough.
          slots.get(id ?? -1)?.release();
        } else if (step.do === "abort" && line.length > 0) {
          const left = line[step.which % line.length];
          line = line.filter((each) => each !== left);
          signals.get(left?.id ?? -1)?.abort(new Error("stop"));
        }
        grant();
        await new Promise((resolve) => setImmediate(resolve));
        expect(granted).toEqual(order);
        expect(lane.held).toBe(holders.length);
        expect(lane.held).toBeLessThanOrEqual(limit);
        expect(lane.waiting).toBe(line.length);
      }
      expect(granted.filter((id) => aborted.has(id))).toEqual([]);
    }),
    { numRuns: rounds(60, 500, 5_000) },
  );
}, 300_000);

test("a slot that is forced counts, and holds up those who wait", async () => {
  const lane = new Lane(1);
  const first = await lane.acquire();
  const forced = lane.force();
  let isGranted = false;
  const waiting = lane.acquire().then(() => (isGranted = true));
  first.release();
  await Promise.resolve();
  expect([lane.held, isGranted]).toEqual([1, false]);
  forced.release();
  await waiting;
  expect(lane.held).toBe(1);
});

test("who was told to stop before it came gets no place", async () => {
  const lane = new Lane(1);
  await expect(lane.acquire(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  expect([lane.held, lane.waiting]).toEqual([0, 0]);
});
