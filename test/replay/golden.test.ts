/**
 * Sessions that were recorded once, by the version that each bundle names, and must be decided again as they were, for ever.
 *
 * When one diverges because a machine changed: keep the old decisions for old facts, by a new schemaVersion and an
 * upcaster. Never make the bundle again, and never change what is expected of it here.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Fact, NewFact } from "../../src/events/index.ts";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import { checkBundle, importBundle, verifyReplay } from "../../src/replay/index.ts";
import { collect } from "../log/support/facts.ts";
import { rounds } from "../support/soak.ts";

const folder = path.resolve(import.meta.dirname, "../fixtures/golden");
const names = readdirSync(folder).filter((name) => name.endsWith(".lemon"));

/** What each must hold, so that none is there for nothing: facts over all its streams, and some of its types. */
const golden: Readonly<Record<string, readonly [facts: number, ...types: string[]]>> = {
  "a-background-run": [22, "background_run.queued", "background_run.completed"],
  "a-compaction": [35, "compaction.requested", "session.compacted"],
  "a-crash-and-a-resume": [23, "tool_call.interrupted", "agent.ended"],
  "a-reload-of-extensions": [35, "tool_call.blocked", "hook.answered"],
  "a-subagent": [36, "subagent.queued", "subagent.completed"],
  "an-abort-in-a-batch": [16, "abort.requested", "tool_call.completed"],
  "approvals-allowed-and-denied": [25, "approval.requested", "approval.resolved", "tool_call.blocked"],
  "every-file-tool": [80, "tool_call.returned", "tool_call.process_started"],
  "hooks-that-block-and-replace": [45, "tool_call.blocked", "hook_context.appended"],
  "plan-mode": [46, "plan_mode.entered", "plan.proposed", "plan_mode.exited"],
  "retries-and-a-failure": [25, "model.failed", "model.retry_scheduled"],
  "steering-and-following-up": [26, "steer.submitted", "follow_up.submitted", "message.appended"],
  "todos-and-checkpoints": [46, "todos.written", "checkpoint.created"],
};

async function opened(name: string): Promise<{ log: EventLog; sessionId: string }> {
  const log = await openEventLog(":memory:");
  onTestFinished(() => log.close());
  const { sessionId } = await importBundle(log, path.join(folder, `${name}.lemon`));
  return { log, sessionId };
}

test("all that are there are told of here", () => {
  expect(names.map((name) => path.basename(name, ".lemon"))).toEqual(Object.keys(golden).toSorted());
});

test.each(Object.entries(golden))("%s replays as it was recorded", async (name, [facts, ...types]) => {
  const { header, facts: found } = await checkBundle(path.join(folder, `${name}.lemon`));
  expect({ writtenBy: header.writtenBy, found }).toEqual({ writtenBy: "0.1.0", found: facts });
  const { log } = await opened(name);
  expect(await collect(log.verify())).toEqual([]);
  const all = await collect(log.readAll());
  expect([...new Set(all.map(({ type }) => type))]).toEqual(expect.arrayContaining(types));
  for (const { stream } of await log.streams("session-"))
    expect((await verifyReplay(log, stream.slice("session-".length))).divergences).toEqual([]);
});

const newFactOf = (fact: Fact): NewFact => {
  const { type, schemaVersion, at, kind, actor, causation, correlation, data } = fact;
  return { type, schemaVersion, at, kind, actor, causation, correlation, data, text: JSON.stringify(data) };
};

test("any decision that is another in a copy is found at exactly that fact", async () => {
  const property = fc.asyncProperty(fc.constantFrom(...Object.keys(golden)), fc.nat(), async (name, pick) => {
    const { log, sessionId } = await opened(name);
    const facts = await collect(log.read(`session-${sessionId}`));
    const decisions = facts.filter(({ kind }) => kind === "decision");
    const changed = decisions[pick % decisions.length];
    if (changed === undefined) return;
    const copy = await openEventLog(":memory:");
    onTestFinished(() => copy.close());
    const edited = facts.map((fact) =>
      newFactOf(
        fact === changed ? { ...fact, data: { ...Object(fact.data), turn: 4_711, callId: "call_x" } } : fact,
      ),
    );
    await copy.append(`session-${sessionId}`, "none", edited);
    const { divergences } = await verifyReplay(copy, sessionId);
    expect(divergences).toMatchObject([{ version: changed.version }]);
  });
  await fc.assert(property, { numRuns: rounds(15, 150, 1500) });
});
