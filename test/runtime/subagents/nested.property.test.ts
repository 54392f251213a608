/** Families of any shape in lanes of any width: all come through, and never more are at work than the lane is wide. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Lane } from "../../../src/runtime/lane.ts";
import { HeldSlots } from "../../../src/runtime/subagents/held-slots.ts";
import { rounds } from "../../support/soak.ts";
import { notices, results, seenTasks, stage, taskWords, tasks } from "./support.ts";

interface Member {
  readonly rests: number;
  readonly children: readonly Member[];
}

const rests = fc.nat(3);
const over = (below: fc.Arbitrary<Member>): fc.Arbitrary<Member> =>
  fc.record({ rests, children: fc.array(below, { maxLength: 3 }) });
const member = over(over(over(fc.record({ rests, children: fc.constant([]) }))));

test("who waits for its own gives its slot back, so no nesting blocks a lane", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(member, { minLength: 1, maxLength: 4 }),
      async (limit, roots) => {
        const lane = new Lane(limit);
        const slots = new HeldSlots(lane);
        const never = (): AbortSignal => new AbortController().signal;
        let atWork = 0;
        let done = 0;
        let names = 0;
        const tick = async (times: number): Promise<void> => {
          for (let time = 0; time < times; time += 1) await Promise.resolve();
        };
        const working = async (times: number): Promise<void> => {
          atWork += 1;
          expect(atWork).toBeLessThanOrEqual(limit);
          expect(lane.held).toBeLessThanOrEqual(limit);
          await tick(times);
          atWork -= 1;
        };
        const work = async ({ rests, children }: Member): Promise<void> => {
          names += 1;
          const id = `m${names}`;
          const release = slots.hold(id, await lane.acquire(never()));
          await working(rests);
          // Its calls wait side by side.
          await Promise.all(children.map((child) => slots.whileWaiting(id, never(), () => work(child))));
          await working(rests);
          release();
          done += 1;
        };
        await Promise.all(roots.map(work));
        const size = ({ children }: Member): number =>
          1 + children.reduce((sum, child) => sum + size(child), 0);
        expect(done).toBe(roots.reduce((sum, root) => sum + size(root), 0));
        expect([lane.held, lane.waiting]).toEqual([0, 0]);
      },
    ),
    { numRuns: rounds(150, 1_000, 10_000) },
  );
}, 300_000);

test("a join answers in the order that was asked for, each end is told once, whatever the ends' order is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ pauses: fc.nat(6), isJoined: fc.boolean() }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (plan, width) => {
        const acts = Object.fromEntries(
          plan.map(({ pauses }, at) => [
            `part ${at}`,
            [
              async () => {
                for (let pause = 0; pause < pauses; pause += 1) await new Promise(setImmediate);
                return { text: `did ${at}` };
              },
            ],
          ]),
        );
        let asked: string[] = [];
        const { runtime, log, session } = await stage(
          {
            go: [
              tasks(...plan.map((_, at) => ({ prompt: `part ${at}` }))),
              (context) => {
                asked = seenTasks(context)
                  .filter((_, at) => plan[at]?.isJoined === true)
                  .toReversed();
                return asked.length === 0 ? { text: "none" } : tasks({ action: "join", taskIds: asked });
              },
              { text: "done" },
            ],
            ...acts,
          },
          { config: { lanes: { subagent: width } } },
        );
        await session.prompt("go");
        const joined = (await results(log, session.id))[plan.length];
        if (asked.length > 0) expect(joined?.match(/^task_[0-9a-f]{16}/gm)).toEqual(asked);
        while ((await runtime.tasks.list(session.id)).some(({ endedAt }) => endedAt === null))
          await new Promise(setImmediate);
        await session.prompt("more");
        await session.prompt("once more");
        const told = (await taskWords(log, session.id)).filter((word) => word === "completed");
        expect(told).toHaveLength(plan.length);
        expect((await runtime.replay.verify(session.id)).divergences).toEqual([]);
        const ids = (await notices(log, session.id)).map((text) => /task_[0-9a-f]{16}/.exec(text)?.[0]);
        const all = (await runtime.tasks.list(session.id)).map(({ taskId }) => taskId);
        expect(ids).toHaveLength(new Set(ids).size);
        expect(new Set(ids)).toEqual(new Set(all.filter((id) => !asked.includes(id))));
        await runtime.close();
      },
    ),
    { numRuns: rounds(6, 60, 400) },
  );
}, 600_000);
