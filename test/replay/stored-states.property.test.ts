/** States from stored ones are those that are folded from the first fact, to the byte, whatever happened to the stored. */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { isNewest } from "../../src/actors/session-states.ts";
import { SessionViews, sessionViews } from "../../src/actors/session-views.ts";
import { snapshotWriter } from "../../src/actors/stored.ts";
import type { Fact, NewFact } from "../../src/events/index.ts";
import type { EventLog, Snapshot } from "../../src/log/index.ts";
import { stateAt } from "../../src/replay/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { rounds } from "../support/soak.ts";
import { tellStory } from "./story.ts";

const STREAM = "session-s";
const LENGTH = 4_000;
const writer = snapshotWriter(sessionViews);

let told: readonly Fact[];
beforeAll(async () => {
  told = (await tellStory()).facts;
});

/** What may happen to a stored state, or to the pages. */
const harm = fc.record({
  which: fc.nat(20),
  how: fc.constantFrom("another build", "another history", "nothing"),
});

test("with stored states and without, the same bytes at any version", async () => {
  const plan = fc.record({
    order: fc.array(fc.nat(10_000), { minLength: 50, maxLength: 300 }),
    restarts: fc.array(fc.integer({ min: 1, max: LENGTH }), { maxLength: 3 }),
    versions: fc.array(fc.integer({ min: 1, max: LENGTH }), { minLength: 4, maxLength: 4 }),
    harms: fc.array(harm, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ order, restarts, versions, harms }) => {
      const log = await memoryLog(() => 1_000);
      await tellAnew(log, order, new Set(restarts));
      const states = (await log.loadSnapshots(STREAM)).filter((stored) => !isNewest(stored));
      expect(states.length).toBeGreaterThan(1);
      await expectSame(log, [...versions, LENGTH, ...states.map(({ version }) => version)]);
      const all = await log.loadSnapshots(STREAM);
      for (const { which, how } of harms) {
        const stored = all.at(which % all.length);
        if (stored !== undefined) await spoil(log, stored, how);
      }
      await expectSame(log, [...versions, LENGTH]);
      await expect(stateAt(log, STREAM, LENGTH + 1)).rejects.toMatchObject({ code: "LEMON_INVALID_VERSION" });
      await log.close();
    }),
    { numRuns: rounds(4, 40, 200) },
  );
});

test("states of another history or build are never used, not even when all others are gone", async () => {
  for (const how of ["another history", "another build"]) {
    const log = await memoryLog(() => 1_000);
    await tellAnew(log, [5, 9, 14], new Set([1_700]));
    for (const stored of await log.loadSnapshots(STREAM))
      if (!isNewest(stored)) await spoil(log, stored, how);
    await expectSame(log, [LENGTH, LENGTH - 3]);
    await log.close();
  }
});

test("without a page of the conversation a stored state is not used", async () => {
  const log = await memoryLog(() => 1_000);
  await tellAnew(log, [5, 9, 14], new Set());
  const page = (await log.loadSnapshots(STREAM)).find(({ name }) => name === "transcript/0");
  expect(page).toBeDefined();
  await spoil(log, page as Snapshot, "another build");
  await expectSame(log, [LENGTH, 2_100]);
  await log.close();
});

test("a state is not folded from the first fact where one is stored", async () => {
  const log = await memoryLog(() => 1_000);
  await tellAnew(log, [1, 2, 3], new Set());
  const from: (number | undefined)[] = [];
  const watched = wrapped(log, {
    read: (stream, options) => {
      if (stream === STREAM && options?.types === undefined) from.push(options?.from);
      return log.read(stream, options);
    },
  });
  await stateAt(watched, STREAM, LENGTH);
  expect(from.every((version) => version !== undefined && version > LENGTH - 2_000)).toBe(true);
  await log.close();
});

/** A session of facts of the story, in any order, led by a stream that stores its views every 500 facts. */
async function tellAnew(
  log: EventLog,
  order: readonly number[],
  restarts: ReadonlySet<number>,
): Promise<void> {
  const start = told.at(0);
  if (start === undefined) throw new Error("no story was told");
  const facts: NewFact[] = [newFact(start)];
  while (facts.length < LENGTH) {
    const index = (order[facts.length % order.length] ?? 0) + facts.length;
    facts.push(newFact(told.at(1 + (index % (told.length - 1))) ?? start));
  }
  const kept = await log.append(STREAM, "none", facts);
  let views = new SessionViews();
  for (const fact of kept) {
    views.fold(fact);
    if (fact.version % 500 !== 0 && !restarts.has(fact.version)) continue;
    const { version, hash } = fact;
    const texts = views.store({ version, hash });
    await log.commit((work) => {
      for (const [name, text] of texts) work.saveSnapshot({ stream: STREAM, name, version, writer, text });
    });
    if (!restarts.has(version)) continue;
    const newest = (await log.loadSnapshots(STREAM, (heads) => heads.filter(isNewest))).map(
      (stored) => [stored.name, stored] as const,
    );
    views = SessionViews.restore(new Map(newest)) as SessionViews;
  }
}

function newFact({ type, schemaVersion, at, actor, correlation, kind, data }: Fact): NewFact {
  return { type, schemaVersion, at, actor, causation: null, correlation, kind, data };
}

async function spoil(log: EventLog, stored: Snapshot, how: string): Promise<void> {
  const { stream, name, version, text } = stored;
  if (how === "another build")
    await log.commit((work) => work.saveSnapshot({ stream, name, version, writer: "another", text }));
  if (how === "another history" && !isNewest(stored)) {
    const foreign = JSON.stringify({
      ...(JSON.parse(text) as object),
      factHash: "f".repeat(64),
      messages: 1,
    });
    await log.commit((work) => work.saveSnapshot({ stream, name, version, writer, text: foreign }));
  }
}

async function expectSame(log: EventLog, versions: readonly number[]): Promise<void> {
  const without = wrapped(log, { loadSnapshots: () => Promise.resolve([]) });
  for (const version of versions) {
    const [stored, folded] = [await stateAt(log, STREAM, version), await stateAt(without, STREAM, version)];
    expect(JSON.stringify(stored)).toBe(JSON.stringify(folded));
  }
}

function wrapped(log: EventLog, members: Partial<EventLog>): EventLog {
  return new Proxy(log, {
    get: (target, name) => {
      const member: unknown = Reflect.get(members, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
