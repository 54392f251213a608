/** Forks at any version of any session. docs/reference/forks.md */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SessionViews } from "../../src/actors/session-views.ts";
import type { Fact } from "../../src/events/index.ts";
import { historyOf, type EventLog } from "../../src/log/index.ts";
import {
  approvalsIn,
  messagesOf,
  project,
  todos as todoList,
  type Todo,
} from "../../src/projections/index.ts";
import { forkSession } from "../../src/replay/fork.ts";
import { createMasker } from "../../src/secrets/index.ts";
import {
  abort,
  answer,
  answerHook,
  checkInvariants,
  collect,
  failModel,
  finishCompaction,
  finishTool,
  followUp,
  kill,
  passTime,
  planMode,
  prompt,
  resolveApproval,
  runToEnd,
  steer,
  Subject,
  tooLong,
  writeTodos,
} from "../support/random-session.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { rounds } from "../support/soak.ts";

const RUNS = rounds(25, 300, 2_000);

const everything = [
  prompt,
  prompt,
  answer,
  answer,
  finishTool,
  finishTool,
  answerHook,
  resolveApproval,
  steer,
  followUp,
  abort,
  failModel,
  tooLong,
  finishCompaction,
  passTime,
  planMode,
  writeTodos,
  kill,
];

/** What the views say after a version, with the versions in them counted back from it. */
async function viewsAt(log: EventLog, id: string, to: number, by = 0): Promise<unknown> {
  const views = new SessionViews();
  let list: readonly Todo[] = [];
  for await (const fact of historyOf(log, `session-${id}`, { to })) {
    const counted: Fact = { ...fact, version: fact.version - by };
    views.fold(counted);
    list = project(todoList, list, counted);
  }
  const { session, transcript } = views;
  return { session, messages: messagesOf(transcript), transcript, list };
}

/** Forks a session at one of its versions, and says what holds for every fork. */
async function forkAt(subject: Subject, where: number, id: string): Promise<void> {
  const { log, id: from } = subject;
  const before = await collect(log.readAll());
  const { length: last } = before.filter(({ stream }) => stream === `session-${from}`);
  // From the end: that is where calls are open.
  const at = last - (where % last);
  const parts = { clock: new ManualClock(), mask: createMasker([]) };
  await forkSession(log, from, { sessionId: id, at, cwd: null }, parts);
  const after = await collect(log.readAll());
  // Only its own stream is written, and what was there is as it was.
  expect(after.slice(0, before.length)).toEqual(before);
  const facts = after.slice(before.length);
  expect(facts.every(({ stream }) => stream === `session-${id}`)).toBe(true);
  expect(facts[0]).toMatchObject({ version: 1, type: "session.forked", kind: "input", data: { from, at } });
  // It is its parent as of that version, but for what makes it another session.
  const parent = (await viewsAt(log, from, at, at)) as { session: Record<string, unknown> };
  const fork = (await viewsAt(log, id, 1)) as { session: Record<string, unknown> };
  const { session: was, ...shared } = parent;
  const { session: is, ...same } = fork;
  expect(same).toEqual(shared);
  const changed = ["sessionId", "lineage", "startedAt", "status", "calls"];
  for (const member of Object.keys(is))
    if (!changed.includes(member)) expect(is[member]).toEqual(was[member]);
}

async function assertNothingOpen(log: EventLog, id: string): Promise<void> {
  const views = new SessionViews();
  for await (const fact of historyOf(log, `session-${id}`)) views.fold(fact);
  expect(approvalsIn(views.session)).toEqual([]);
  expect(views.transcript.batch).toBeNull();
}

describe("a fork of any session at any version", () => {
  test("is its parent as it was, leaves that as it is, and goes on by itself: each call ends once", async () => {
    await fc.assert(
      fc.asyncProperty(
        // Most sessions get as far as a call.
        fc.array(fc.tuple(prompt, answer), { maxLength: 1 }),
        fc.commands(everything, { maxCommands: 30 }),
        fc.nat(),
        fc.commands(everything, { maxCommands: 12 }),
        fc.nat(),
        async (first, before, where, after, again) => {
          const parent = await Subject.start();
          for (const command of first.flat()) await command.run({}, parent);
          await fc.asyncModelRun(() => ({ model: {}, real: parent }), before);
          await forkAt(parent, where, "f");
          await assertNothingOpen(parent.log, "f");
          // The parent is at work all the while, in another process.
          const fork = await parent.fork("f");
          await fc.asyncModelRun(() => ({ model: {}, real: fork }), after);
          await forkAt(fork, again, "g");
          await assertNothingOpen(parent.log, "g");
          const grandchild = await fork.fork("g");
          for (const subject of [grandchild, parent, fork]) {
            await runToEnd(subject);
            expect(subject.leaks).toEqual([]);
            await checkInvariants(subject);
          }
          await parent.log.close();
        },
      ),
      { numRuns: RUNS },
    );
  });
});
