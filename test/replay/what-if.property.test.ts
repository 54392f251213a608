/** What-if over sessions with hooks of every kind: the same rules change nothing, one rule more changes what it hits. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { defineExtension } from "../../src/extensions/index.ts";
import type { Fact, FactData } from "../../src/events/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { calling, echoing, world } from "../runtime/extensions-support.ts";
import { rounds } from "../support/soak.ts";

type Reaction = "none" | "block" | "args" | "context" | "throw" | "result" | "details" | "both";
const reactions: readonly Reaction[] = [
  "none",
  "none",
  "none",
  "block",
  "args",
  "context",
  "throw",
  "result",
  "details",
  "both",
];

/** Reacts to a call by its number, and to every n-th call whatever it is; starts counting anew with each life. */
function guard(name: string, table: readonly Reaction[], every: number): unknown {
  return defineExtension({
    name,
    version: "1.0.0",
    hooks: () => {
      let seen = 0;
      let turns = 0;
      return {
        onSessionStart: () => ({ additionalContext: `hello of ${name}` }),
        onTurnStart: () => void (turns += 1),
        onToolCall: ({ args }: { args: Record<string, unknown> }) => {
          seen += 1;
          const reaction = table[Number(args["k"]) % table.length];
          if (seen % every === 0) return { block: `the ${seen}th, in turn ${turns}` };
          if (reaction === "block") return { block: `${name} says no`, additionalContext: "why" };
          if (reaction === "args" || reaction === "both") return { replaceArgs: { k: args["k"], by: name } };
          if (reaction === "context") return { additionalContext: `seen by ${name}` };
          if (reaction === "throw") throw new TypeError("no");
          return undefined;
        },
        onToolResult: ({ args }: { args: Record<string, unknown> }) => {
          const reaction = table[Number(args["k"]) % table.length];
          if (reaction === "result" || reaction === "both")
            return {
              replace: { content: [{ type: "text" as const, text: "hidden" }] },
              additionalContext: "after",
            };
          return reaction === "details" ? { replace: { details: { looks: name } } } : undefined;
        },
      };
    },
  });
}

const table = fc.array(fc.constantFrom(...reactions), { minLength: 3, maxLength: 6 });
const promptsOf = fc.array(
  fc.array(fc.array(fc.nat(11), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

test("the very same extensions change nothing, and one rule more blocks exactly the calls that a filter over the log finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      promptsOf,
      table,
      table,
      fc.integer({ min: 2, max: 9 }),
      fc.boolean(),
      fc.integer({ min: 2, max: 4 }),
      async (prompts, first, second, every, parallelSafe, divisor) => {
        const extensions = [
          echoing([], { parallelSafe }),
          guard("a-guard", first, every),
          guard("b-guard", second, 100),
        ];
        // Without a rule there would be no chance of a change.
        const rule = defineExtension({
          name: "z-rule",
          version: "2.0.0",
          hooks: {
            onToolCall: ({ args }) => (Number(args["k"]) % divisor === 0 ? { block: "the rule" } : undefined),
          },
        });
        const ids: string[] = [];
        const facts: Fact[] = [];
        const turns = prompts.flatMap((batches) => [
          ...batches.map((batch) => calling(...batch.map((k) => ({ name: "echo", args: { k } })))),
          { text: "done" },
        ]);
        await using here = await world({ turns, extensions });
        // The script begins anew with each session.
        for (let count = 0; count < 2; count += 1) {
          const session = await here.start();
          for (const _batches of prompts) await session.prompt("go");
          await session.shutdown("done");
          ids.push(session.id);
          facts.push(...(await here.factsOf(session)));
        }
        const before = await streamsOf(here.log);
        const judged = facts.filter(({ type }) => type === "tool_call.requested").length;
        const same = await here.runtime.replay.whatIf(ids, { extensions: extensions as object[] });
        expect(same).toEqual({ sessions: ids.length, calls: judged, changes: [], contexts: [] });
        const more = await here.runtime.replay.whatIf(ids, {
          extensions: [...(extensions as object[]), rule],
        });
        expect(
          more.changes.map(({ toolCallId, after }) => [toolCallId, after.decision, after.reason]),
        ).toEqual(expect.arrayContaining(expected(facts, divisor)));
        expect(more.changes).toHaveLength(expected(facts, divisor).length);
        // Beside the recorded ones it comes to the same.
        const beside = await here.runtime.replay.whatIf(ids, { extensions: [rule], keepRecorded: true });
        expect(beside.changes.map(({ toolCallId }) => toolCallId).sort()).toEqual(
          more.changes.map(({ toolCallId }) => toolCallId).sort(),
        );
        expect(await streamsOf(here.log)).toEqual(before);
      },
    ),
    { numRuns: rounds(12, 60, 400) },
  );
});

/** How long the stream of each session is. */
async function streamsOf(log: EventLog): Promise<unknown[]> {
  return (await log.streams()).filter(({ stream }) => stream.startsWith("session-"));
}

/** Calls that ran, and whose arguments as the model wrote them the rule stands against. */
function expected(facts: readonly Fact[], divisor: number): unknown[] {
  const calls = facts.flatMap(({ type, data }) =>
    type === "model.responded" ? (data as FactData<"model.responded">).calls : [],
  );
  const ran = new Set(
    facts.flatMap(({ type, data }) =>
      type === "tool_call.started" ? [(data as { callId: string }).callId] : [],
    ),
  );
  return calls
    .filter(({ callId, args }) => ran.has(callId) && Number(args?.["k"]) % divisor === 0)
    .map(({ callId }) => [callId, "blocked", "the rule"]);
}
