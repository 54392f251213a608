/** What holds of hooks whatever the model does, the handlers answer, and whenever somebody ends the run. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hookNames, type HookTable } from "../../src/extensions/index.ts";
import type { SessionEvent } from "../../src/projections/index.ts";
import type { ScriptedTurn } from "../../src/providers/index.ts";
import { dataOf, echoing, hooked, world } from "../runtime/extensions-support.ts";
import { rounds } from "../support/soak.ts";

const answer = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.record({ additionalContext: fc.string() }),
  fc.record({ block: fc.string() }),
  fc.record({ replaceArgs: fc.dictionary(fc.constantFrom("x"), fc.integer()) }),
  fc.constant("throw"),
);
const call = fc.record({
  name: fc.constantFrom("echo", "echo", "ls", "nope"),
  args: fc.dictionary(fc.constantFrom("a", "path"), fc.constantFrom(".", "x")),
});
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      text: fc.constant("calling"),
      toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ error: { status: 400 } }) },
  { weight: 1, arbitrary: fc.constant({ text: "cut", delayMs: 1 }) },
);

/** Each event, as the hook that tells of it. */
const hookOf: Readonly<Record<string, readonly string[]>> = {
  agent_start: ["onAgentStart"],
  agent_end: ["onAgentEnd"],
  turn_start: ["onTurnStart"],
  turn_end: ["onTurnEnd"],
  message_end: ["onMessageStart", "onMessageEnd"],
  tool_execution_start: ["onToolExecutionStart"],
  tool_execution_end: ["onToolExecutionEnd"],
};

test("hooks are called as events happen, each run ends once, and replay agrees", async () => {
  const plan = fc.record({
    turns: fc.array(turn, { maxLength: 4 }),
    judged: fc.array(answer, { maxLength: 6 }),
    reviewed: fc.array(answer, { maxLength: 6 }),
    observed: fc.array(fc.boolean(), { maxLength: 6 }),
    abortAt: fc.option(fc.nat({ max: 20 })),
    approval: fc.constantFrom("auto" as const, "deny" as const),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ turns, judged, reviewed, observed, abortAt, approval }) => {
      const seen: string[] = [];
      const calls = { judge: 0, review: 0, observe: 0 };
      let abort = (): void => undefined;
      const said = (value: unknown): never => {
        if (value === "throw") throw new Error("no");
        return value as never;
      };
      const observers = hookNames
        .filter((name) => !/Session|ToolCall|ToolResult/.test(name))
        .map((name) => [
          name,
          () => {
            seen.push(name);
            if (seen.length === abortAt) abort();
            if (observed[(calls.observe += 1) - 1] === false) throw new Error("no");
          },
        ]);
      const notes = Object.fromEntries(observers) as HookTable;
      const guard: HookTable = {
        onToolCall: () => said(judged[(calls.judge += 1) - 1]),
        onToolResult: () => said(reviewed[(calls.review += 1) - 1]),
      };
      const ran: unknown[] = [];
      const extensions = [hooked("notes", notes), hooked("guard", guard), echoing(ran)];
      await using here = await world({ turns: [...turns, { text: "done" }], extensions });
      const events: SessionEvent[] = [];
      const session = await here.start({ approval, onEvent: (event) => void events.push(event) });
      abort = () => void session.abort();
      await session.prompt("go");
      await session.shutdown();

      expect(seen).toEqual(events.flatMap(({ type }) => hookOf[type] ?? []));
      expect(seen.filter((name) => name === "onAgentEnd")).toHaveLength(1);
      const facts = await here.factsOf(session);
      const answered = dataOf(facts, "hook.answered");
      const requested = dataOf(facts, "hook.requested");
      // One answer for each question that was not cut off, and none without one.
      const keys = (list: readonly { callId: string; hook: string }[]): string[] =>
        list.map(({ callId, hook }) => `${callId} ${hook}`);
      expect(new Set(keys(requested)).size).toBe(requested.length);
      expect(keys(requested)).toEqual(expect.arrayContaining(keys(answered)));
      // Nothing runs that was blocked, and what runs was judged before.
      const started = dataOf(facts, "tool_call.started").map(({ callId }) => callId);
      const blocked = dataOf(facts, "tool_call.blocked").map(({ callId }) => callId);
      expect(started.filter((callId) => blocked.includes(callId))).toEqual([]);
      expect(keys(answered)).toEqual(expect.arrayContaining(started.map((callId) => `${callId} onToolCall`)));
      expect(ran.length).toBeLessThanOrEqual(started.length);
      expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
    }),
    { numRuns: rounds(60, 300, 3_000) },
  );
});
