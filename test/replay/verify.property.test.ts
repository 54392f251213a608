/** A fact that was changed in a copy of a log is found, at exactly that fact, and told by what it is. */
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { catalogue, type Fact } from "../../src/events/index.ts";
import { factHash, GENESIS } from "../../src/log/index.ts";
import { verifyReplay, type Divergence } from "../../src/replay/index.ts";
import { rounds } from "../support/soak.ts";
import { changedCopy, OF_SESSION, tellStory, type Story } from "./story.ts";

let story: Story;
beforeAll(async () => {
  story = await tellStory();
});

type Column = "data" | "at" | "hash" | "actor" | "causation" | "type";

async function firstAfter(version: number, column: Column, value: unknown): Promise<Divergence | undefined> {
  const log = await changedCopy(story, (db) =>
    db.prepare(`UPDATE facts SET ${column} = ? WHERE ${OF_SESSION}`).run(value, version),
  );
  const { divergences } = await verifyReplay(log, "s");
  await log.close();
  return divergences[0];
}

/** The data with one character of a text, or one number, another. */
function altered(data: unknown, seed: number): string {
  const text = JSON.stringify(data);
  const at = [...text.matchAll(/[a-z0-9](?=[^{}[\]:]*["\d,}\]])/g)].map(({ index }) => index);
  const place = at[seed % Math.max(1, at.length)] ?? 1;
  return `${text.slice(0, place)}${text[place] === "7" ? "8" : "7"}${text.slice(place + 1)}`;
}

const verifies = async (): Promise<void> => {
  const log = await changedCopy(story, () => undefined);
  expect(await verifyReplay(log, "s")).toMatchObject({
    divergences: [],
    unavailable: 0,
    facts: story.facts.length,
  });
  await log.close();
};

test("an unchanged copy has no divergence", verifies);

test("any changed data is found at exactly that fact", async () => {
  const hasData = story.facts.filter(({ data }) => JSON.stringify(data) !== "{}");
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...hasData), fc.nat(), async (fact, seed) => {
      const found = await firstAfter(fact.version, "data", altered(fact.data, seed));
      expect(found).toMatchObject({ version: fact.version, position: fact.position });
      expect(kindsOf(fact)).toContain(found?.kind);
      expect(found?.explanation).not.toBe("");
    }),
    { numRuns: rounds(25, 200, 1_000) },
  );
});

function kindsOf({ type, kind }: Fact): string[] {
  if (type === "hook.answered") return ["hook_verdict_changed", "extension_changed"];
  if (type === "extension_status_report.published") return ["extension_changed"];
  if (kind === "decision") return ["decision_changed"];
  if (type === "prompt.submitted" || type === "session.started") return ["prompt_changed"];
  return type === "model.responded" ? ["input_changed", "prompt_changed"] : ["input_changed"];
}

test("of a changed decision the recorded one is told, and the leaf that differs", async () => {
  const decision = story.facts.find(({ type }) => type === "turn.ended") as Fact<string, { turn: number }>;
  const data = JSON.stringify({ ...decision.data, turn: 9 });
  expect(await firstAfter(decision.version, "data", data)).toMatchObject({
    kind: "decision_changed",
    expected: { type: "turn.ended", data: decision.data },
    actual: { data: { turn: 9 } },
    differences: [{ path: "/data/turn", expected: 1, actual: 9 }],
    cause: expect.any(Number),
  });
});

test("a changed time is a changed clock, with the time that was there", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...story.facts),
      fc.integer({ min: 1, max: 100_000 }),
      async (fact, by) => {
        expect(await firstAfter(fact.version, "at", fact.at + by)).toMatchObject({
          version: fact.version,
          kind: "clock_changed",
          differences: [{ path: "/at", expected: fact.at, actual: fact.at + by }],
        });
      },
    ),
    { numRuns: rounds(10, 50, 200) },
  );
});

test("a changed hash is told from a changed fact", async () => {
  const fact = story.facts[4];
  expect(await firstAfter(fact?.version ?? 0, "hash", "0".repeat(64))).toMatchObject({
    version: fact?.version,
    kind: "hash_changed",
    expected: { hash: fact?.hash },
  });
});

test("two facts that changed places are found at the first of them", async () => {
  const versions = story.facts.slice(0, -1).map(({ version }) => version);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...versions), async (version) => {
      const log = await changedCopy(story, (db) => {
        const move = db.prepare(`UPDATE facts SET version = ? WHERE ${OF_SESSION}`);
        move.run(100_000, version);
        move.run(version, version + 1);
        move.run(version + 1, 100_000);
      });
      const { divergences } = await verifyReplay(log, "s");
      await log.close();
      expect(divergences).toMatchObject([{ version, kind: "order_changed" }]);
    }),
    { numRuns: rounds(8, 40, 100) },
  );
});

test("a fact that is gone leaves a gap", async () => {
  const log = await changedCopy(story, (db) => db.prepare(`DELETE FROM facts WHERE ${OF_SESSION}`).run(5));
  expect((await verifyReplay(log, "s")).divergences).toMatchObject([
    { version: 6, kind: "order_changed", expected: { version: 5 } },
  ]);
  await log.close();
});

/** Changes a fact and makes the chain anew, as a forger would. */
async function forged(version: number, change: (data: never) => unknown): Promise<Divergence | undefined> {
  const log = await changedCopy(story, (db) => {
    const write = db.prepare(`UPDATE facts SET data = ?, hash = ? WHERE ${OF_SESSION}`);
    let previous = GENESIS;
    for (const fact of story.facts) {
      const text = JSON.stringify(fact.version === version ? change(fact.data as never) : fact.data);
      previous = factHash(previous, fact, text);
      write.run(text, previous, fact.version);
    }
  });
  const { divergences } = await verifyReplay(log, "s");
  await log.close();
  return divergences[0];
}

test("a chain that was made anew hides no prompt: the first request tells, and which message is new to it", async () => {
  const prompts = story.facts.filter(({ type }) => type === "prompt.submitted");
  const second = prompts[1]?.version ?? 0;
  const answer = story.facts.find(({ type, version }) => type === "model.responded" && version > second);
  const other = { type: "text", text: "Do another thing." };
  expect(await forged(second, (data: object) => ({ ...data, content: [other] }))).toMatchObject({
    kind: "prompt_changed",
    version: answer?.version,
    explanation: expect.stringContaining(`version ${second}`),
  });
});

test("nor a verdict: what follows from the answers of hooks does not follow any more", async () => {
  const blocked = story.facts.find(({ type }) => type === "tool_call.blocked") as Fact;
  const answered = story.facts.find(({ version }) => version === blocked.causation) as Fact;
  expect(
    await forged(answered.version, (data: { answers: object[] }) => ({
      ...data,
      answers: data.answers.map((answer) => ({ ...answer, answer: null })),
    })),
  ).toMatchObject({ kind: "hook_verdict_changed", version: blocked.version, cause: answered.version });
});

test("nor a decision, nor other code of an extension", async () => {
  const ended = story.facts.find(({ type }) => type === "turn.ended") as Fact;
  expect(await forged(ended.version, (data: object) => ({ ...data, toolCalls: 7 }))).toMatchObject({
    kind: "decision_changed",
    version: ended.version,
    differences: [{ path: "/data/toolCalls", expected: 7 }],
  });
  const answered = story.facts.find(({ type }) => type === "hook.answered") as Fact;
  const sha256 = "f".repeat(64);
  expect(
    await forged(answered.version, (data: { answers: object[] }) => ({
      ...data,
      answers: data.answers.map((answer) => ({ ...answer, sha256 })),
    })),
  ).toMatchObject({ kind: "extension_changed", version: answered.version });
});

test("every type of fact is one that the walk can name", () => {
  expect(story.facts.every(({ type }) => Object.hasOwn(catalogue, type))).toBe(true);
});
