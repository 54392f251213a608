import { expect, test } from "vitest";
import { Latest } from "../../../src/inspector/page/data/latest.ts";

/** A world in which frames, time and answers come when the test says. */
function world(): {
  latest: Latest<string>;
  asked: {
    key: string;
    signal: AbortSignal;
    answer: (text: string) => Promise<void>;
    fail: (error: unknown) => Promise<void>;
  }[];
  told: string[];
  frame: () => void;
  pass: (ms: number) => void;
} {
  const asked: ReturnType<typeof world>["asked"] = [];
  const told: string[] = [];
  let frames: (() => void)[] = [];
  let now = 0;
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const latest = new Latest<string>({
    load: (key, signal) => {
      let resolve: (text: string) => void = () => undefined;
      let reject: (error: unknown) => void = () => undefined;
      const promise = new Promise<string>((yes, no) => {
        resolve = yes;
        reject = no;
      });
      const answer = async (text: string): Promise<void> => {
        resolve(text);
        await settle();
      };
      const fail = async (error: unknown): Promise<void> => {
        reject(error);
        await settle();
      };
      asked.push({ key, signal, answer, fail });
      return promise;
    },
    onAnswer: (key, answer) => told.push(`${key}: ${answer}`),
    onFault: (key, error) => told.push(`${key}! ${String(error)}`),
    nextFrame: (run) => frames.push(run),
    now: () => now,
    patienceMs: 100,
  });
  return {
    latest,
    asked,
    told,
    frame: () => {
      const due = frames;
      frames = [];
      for (const run of due) run();
    },
    pass: (ms) => (now += ms),
  };
}

test("of all questions of a frame the last is asked, once", () => {
  const { latest, asked, frame } = world();
  for (let at = 1; at <= 50; at += 1) latest.want(`at=${at}`);
  expect(asked).toHaveLength(0);
  frame();
  frame();
  expect(asked.map(({ key }) => key)).toEqual(["at=50"]);
});

test("one that is quick is told although it is stale, and the newest follows", async () => {
  const { latest, asked, told, frame, pass } = world();
  latest.want("1");
  frame();
  latest.want("2");
  latest.want("3");
  pass(20);
  frame();
  expect(asked).toHaveLength(1);
  await asked[0]?.answer("one");
  expect(told).toEqual(["1: one"]);
  expect(asked.map(({ key }) => key)).toEqual(["1", "3"]);
});

test("one that is stale and slow is aborted for the newest, and its answer is not told", async () => {
  const { latest, asked, told, frame, pass } = world();
  latest.want("1");
  frame();
  latest.want("2");
  pass(150);
  frame();
  expect(asked[0]?.signal.aborted).toBe(true);
  expect(asked.map(({ key }) => key)).toEqual(["1", "2"]);
  await asked[0]?.answer("late");
  await asked[1]?.answer("two");
  expect(told).toEqual(["2: two"]);
});

test("a fault is told, and asked again only when it is said", async () => {
  const { latest, asked, told, frame } = world();
  latest.want("1");
  frame();
  await asked[0]?.fail(new Error("gone"));
  expect(told).toEqual(["1! Error: gone"]);
  latest.want("1");
  frame();
  expect(asked).toHaveLength(1);
  latest.again();
  frame();
  expect(asked).toHaveLength(2);
});

test("who wants nothing is told nothing", async () => {
  const { latest, asked, told, frame } = world();
  latest.want("1");
  frame();
  latest.want(null);
  expect(asked[0]?.signal.aborted).toBe(true);
  await asked[0]?.answer("one");
  expect(told).toEqual([]);
});
