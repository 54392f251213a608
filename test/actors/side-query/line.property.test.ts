import fc from "fast-check";
import { expect, test } from "vitest";
import { Line } from "../../../src/actors/side-query/line.ts";
import { rounds } from "../../support/soak.ts";

type Step =
  | { readonly do: "enter"; readonly key: string }
  | { readonly do: "leave" | "giveUp"; readonly pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("enter" as const), key: fc.constantFrom("a", "b") }),
  fc.record({ do: fc.constantFrom("leave" as const, "giveUp" as const), pick: fc.nat(20) }),
);

interface One {
  readonly id: number;
  readonly key: string;
  readonly abort: AbortController;
  leave: (() => void) | null;
}

test("one at a time for each key, in the order in which they came; who gives up takes no turn", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const line = new Line();
      const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
      // The model: who is in comes first, the others wait behind.
      const expected: Record<string, One[]> = { a: [], b: [] };
      let next = 0;
      for (const each of steps) {
        const present = [...(expected["a"] ?? []), ...(expected["b"] ?? [])];
        if (each.do === "enter") {
          const one: One = { id: (next += 1), key: each.key, abort: new AbortController(), leave: null };
          expected[each.key]?.push(one);
          line.enter(each.key, one.abort.signal).then(
            (leave) => (one.leave = leave),
            () => undefined,
          );
        } else {
          const one = present[each.pick % Math.max(1, present.length)];
          if (one === undefined) continue;
          const isIn = expected[one.key]?.[0] === one;
          if (isIn !== (each.do === "leave")) continue;
          expected[one.key] = (expected[one.key] ?? []).filter((other) => other !== one);
          if (isIn) one.leave?.();
          else one.abort.abort(new Error("enough"));
          // A second time changes nothing.
          if (isIn) one.leave?.();
        }
        await settle();
        for (const [key, ones] of Object.entries(expected)) {
          expect(ones.map(({ leave }) => leave !== null)).toEqual(ones.map((_one, index) => index === 0));
          expect(line.lengthOf(key)).toBe(ones.length);
        }
      }
    }),
    { numRuns: rounds(60, 1_000, 5_000) },
  );
});

test("a signal that has fired before takes no place", async () => {
  const line = new Line();
  await expect(line.enter("a", AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  expect(line.lengthOf("a")).toBe(0);
});
