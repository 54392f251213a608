import fc from "fast-check";
import { expect, test } from "vitest";
import { searchBad, type Judgement } from "../../src/replay/bisect/search.ts";

const lasts = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 5_000 }));

test("a fault is found where it is, in no more than ceil(log2(n)) + 2 checks, and in at most nine up to 200 states", async () => {
  await fc.assert(
    fc.asyncProperty(
      lasts.chain((last) => fc.tuple(fc.constant(last), fc.integer({ min: 1, max: last }))),
      async ([last, fault]) => {
        let calls = 0;
        const found = await searchBad(last, async (at) => {
          calls += 1;
          return at >= fault ? "bad" : "good";
        });
        expect(found).toEqual({ is: "found", at: fault, checks: calls });
        expect(calls).toBeLessThanOrEqual(Math.ceil(Math.log2(last)) + 2);
        if (last <= 255) expect(calls).toBeLessThanOrEqual(9);
      },
    ),
  );
});

test("whatever the states are like, what is found is a bad one beside a good one", async () => {
  const judgements = fc.array(fc.constantFrom<Judgement>("good", "bad", "skip"), {
    minLength: 2,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(judgements, async (states) => {
      const seen = new Set<number>();
      const found = await searchBad(states.length - 1, async (at) => {
        expect(seen.has(at)).toBe(false);
        seen.add(at);
        return states[at] ?? "skip";
      });
      expect(found.checks).toBe(seen.size);
      if (found.is === "found") {
        expect(states.slice(found.at - 1, found.at + 1)).toEqual(["good", "bad"]);
      } else if (found.is === "undecided") {
        expect(states[found.at]).toBe("bad");
        expect(states[found.from - 1]).not.toBe("bad");
        expect(states.slice(found.from, found.at).every((state) => state === "skip")).toBe(true);
      } else if (found.is === "bad_at_start") {
        expect([states[0], states.at(-1)]).toEqual(["bad", "bad"]);
        expect([...seen].some((at) => states[at] === "good")).toBe(false);
      } else expect(states.at(-1)).toBe(found.is === "never_bad" ? "good" : "skip");
    }),
  );
});

test("of few states the first is judged at once after the last, and of 200 within four checks", async () => {
  expect(await searchBad(100, async () => "bad")).toEqual({ is: "bad_at_start", checks: 2 });
  expect(await searchBad(200, async () => "bad")).toEqual({ is: "bad_at_start", checks: 4 });
  expect(await searchBad(100, async () => "good")).toEqual({ is: "never_bad", checks: 1 });
  expect(await searchBad(3, async () => "skip")).toEqual({ is: "end_skipped", checks: 1 });
});
