/** The same handlers give the same verdicts as pure functions, in this process and in a worker. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeCall, reviewResult, type HookAnswer } from "../../src/hooks/index.ts";
import { rounds } from "../support/soak.ts";
import { calling, dataOf, hooked, world, type World } from "./extensions-support.ts";

/** What a handler does, as data. */
interface Deed {
  readonly does: "answer" | "throw" | "invalid";
  readonly answer?: unknown;
}
/** Handlers of the extensions `m0`, `m1` … for both hooks. */
type Plan = readonly { readonly call: readonly Deed[]; readonly result: readonly Deed[] }[];

const text = fc.constantFrom("a", "b\r\nc", " ", "\u0007x", "d\uD800", "\u{1F600}".repeat(4_100));
const answer = fc.record(
  {
    additionalContext: fc.oneof(text, fc.constantFrom(1, null)),
    block: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(false, null) }, { weight: 1, arbitrary: text }),
    replaceArgs: fc.oneof(fc.dictionary(fc.constantFrom("x", "y"), fc.jsonValue()), fc.constantFrom(1, [])),
    replace: fc.record(
      {
        content: fc.constantFrom([{ type: "text", text: "new" }], [{ type: "odd" }], null),
        details: fc.constantFrom({ success: false, shown: 1 }, { shown: 2 }, [], null),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: answer.map((given): Deed => ({ does: "answer", answer: given })) },
  { weight: 1, arbitrary: fc.constantFrom<Deed>({ does: "throw" }, { does: "invalid" }) },
);
const deeds = fc.array(deed, { maxLength: 3 });
const plan: fc.Arbitrary<Plan> = fc.array(fc.record({ call: deeds, result: deeds }), {
  minLength: 1,
  maxLength: 3,
});

const tool = `{ name: "echo", description: "", parameters: { type: "object" }, execute: (id, args) =>
  ({ content: [{ type: "text", text: JSON.stringify(args) }], details: { success: true, own: 1 } }) }`;
const act = `(deed) => () => {
  if (deed.does === "throw") throw new RangeError("no");
  return deed.does === "invalid" ? { additionalContext: 1n } : deed.answer;
}`;

function file(name: string, { call, result }: Plan[number]): string {
  return `const act = ${act};
const plan = JSON.parse(${JSON.stringify(JSON.stringify({ call, result }))});
export default { name: "${name}", version: "1.0.0",
  hooks: { onToolCall: plan.call.map(act), onToolResult: plan.result.map(act) } };`;
}

/** The same as `act`, in this process. */
const actHere = (deed: Deed) => (): unknown => {
  if (deed.does === "throw") throw new RangeError("no");
  return deed.does === "invalid" ? { additionalContext: 1n } : deed.answer;
};

interface Seen {
  readonly answers: readonly (readonly Pick<HookAnswer, "module" | "handler" | "answer">[])[];
  readonly failures: readonly string[];
  readonly shown: unknown;
}

async function play(here: World): Promise<Seen> {
  const session = await here.start();
  await session.prompt("go");
  const facts = await here.factsOf(session);
  expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
  const answered = dataOf(facts, "hook.answered");
  const message = here.requests[1]?.messages.findLast(({ role }) => role === "tool");
  return {
    answers: answered.map(({ answers }) =>
      answers.map(({ module, handler, answer: given }) => ({ module, handler, answer: given })),
    ),
    failures: answered.flatMap(({ answers }) =>
      answers.map(({ failure }) => `${failure?.kind} ${failure?.class}`),
    ),
    shown:
      message?.role === "tool" ? message.results.map(({ content, isError }) => ({ content, isError })) : null,
  };
}

const turns = [calling({ name: "echo", args: { a: 1 } }), { text: "done" }];
const host = `export default { name: "host", version: "1.0.0", tools: [${tool}] };`;

test("the verdict does not depend on where the handlers live", { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (extensions) => {
      const files = Object.fromEntries(
        extensions.map((each, index) => [`ext/m${index}.js`, file(`m${index}`, each)]),
      );
      const objects = extensions.map(({ call, result }, index) =>
        hooked(`m${index}`, { onToolCall: call.map(actHere), onToolResult: result.map(actHere) } as never),
      );
      await using inWorkers = await world({ turns, files: { "ext/host.js": host, ...files } });
      await using inProcess = await world({ turns, files: { "ext/host.js": host }, extensions: objects });
      const [there, here] = [await play(inWorkers), await play(inProcess)];
      expect(there).toEqual(here);

      const [calls = [], results = []] = here.answers.map((list, event) =>
        list.map((each, index): HookAnswer => {
          const at = here.answers.slice(0, event).flat().length + index;
          const failure =
            here.failures[at]?.startsWith("undefined") === true ? null : ({} as HookAnswer["failure"]);
          return { ...each, sha256: null, failure, durationMs: 0 };
        }),
      );
      const hasJudged = extensions.some(({ call }) => call.length > 0);
      const verdict = judgeCall(hasJudged ? calls : []);
      if (verdict.blocked !== null) return;
      const original = {
        content: [{ type: "text" as const, text: JSON.stringify(verdict.args ?? { a: 1 }) }],
        details: { success: true, own: 1 },
        isThrown: false,
      };
      const reviewed = reviewResult(original, verdict.context, hasJudged ? results : calls);
      expect(here.shown).toEqual([{ content: reviewed.content ?? original.content, isError: false }]);
    }),
    { numRuns: rounds(12, 60, 1_000) },
  );
});
