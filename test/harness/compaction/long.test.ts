import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadStream } from "../../../src/actors/load.ts";
import { sessionViews } from "../../../src/actors/session-views.ts";
import { sessionActors } from "../../../src/actors/session/actors.ts";
import { scriptedModel, type ScriptedTurn } from "../../../src/providers/index.ts";
import { verifyReplay } from "../../../src/replay/index.ts";
import { memoryLog, tampered, type Tampering } from "../../support/log-doubles.ts";
import { factsOf, probe, probeExtension, scriptedRuntime } from "../../support/runtimes.ts";
import { rounds } from "../../support/soak.ts";
import { isSummaryRequest, recorded, small, subjectOf, textsOf, words } from "./support.ts";

describe("a session that runs for days", () => {
  test("compacts again and again, is never asked with more than its window, and replays exactly", async () => {
    const turns = rounds(150, 600, 2_000);
    // What is asked decides what is answered: a summary of its own for each request for one, and calls for all else.
    let calls = 0;
    const script: ScriptedTurn[] = Array.from({ length: turns }, () => probe("x"));
    const working = scriptedModel(script);
    const model = recorded({
      ref: "s/m",
      request: (context, options) => {
        const { responses } = options;
        if (isSummaryRequest(context))
          return scriptedModel([{ text: `S${responses} ${words(60)}` }]).request(context, {
            ...options,
            responses: 0,
            failures: 0,
          });
        return responses >= turns - 1
          ? scriptedModel([{ text: "Done." }]).request(context, { ...options, responses: 0, failures: 0 })
          : working.request(context, options);
      },
    });
    const subject = await subjectOf(model, {
      extensions: [probeExtension(() => Promise.resolve(words(40 + ((calls += 1) % 7) * 30, `r${calls}`)))],
    });
    const { text, usage } = await subject.session.prompt("the task of days");
    expect(text).toBe("Done.");
    const compactions = await subject.dataOf("session.compacted");
    expect(compactions.length).toBeGreaterThan(turns / 40);
    expect((await subject.dataOf("model.responded")).length + compactions.length).toBe(turns);
    for (const context of model.asked) {
      const isSummary = isSummaryRequest(context);
      expect(JSON.stringify(context.messages).length / 4).toBeLessThan(isSummary ? 2_000 : 1_700);
      if (!isSummary) expect(textsOf(context)).toContain("the task of days");
    }
    const { usage: total } = subject.session.state();
    expect(total).toEqual(usage);
    const { id } = subject.session;
    const replayed = await loadStream(subject.log, `session-${id}`, sessionActors(id), sessionViews, {
      snapshots: false,
    });
    const resumed = await loadStream(subject.log, `session-${id}`, sessionActors(id), sessionViews);
    expect(resumed.fromVersion).toBeGreaterThan(0);
    expect(resumed.cascade.snapshot()).toEqual(replayed.cascade.snapshot());
    const { pages, ...rest } = resumed.views.transcript;
    expect({ ...rest, pages: pages.map(({ messages }) => messages) }).toEqual({
      ...replayed.views.transcript,
      pages: replayed.views.transcript.pages.map(({ messages }) => messages),
    });
    expect(await subject.close()).toEqual([]);
  });
});

/** A session that compacts twice, once after a failed try and once as the provider refuses. */
const script: readonly ScriptedTurn[] = [
  { text: words(1_200, "early") },
  { error: { status: 500 } },
  probe("a"),
  { text: "SUMMARY ONE" },
  probe("b"),
  { error: { status: 413 } },
  { text: "SUMMARY TWO" },
  { text: "Done." },
];

describe("a session that is killed around a compaction", () => {
  const extensions = [probeExtension((name) => Promise.resolve(words(250, name)), { idempotent: true })];

  /** Runs two prompts to their end; the process is killed before or after its n-th append, and another goes on. */
  async function run(kill: { readonly append: number; readonly moment: "before" | "after" } | null): Promise<{
    readonly commits: string[][];
    readonly types: string[];
    readonly text: string;
    readonly divergences: readonly unknown[];
    readonly summaries: string[];
    readonly sent: string[];
  }> {
    const time = { now: 1_000_000 };
    const log = await memoryLog(() => time.now);
    const commits: string[][] = [];
    let appends = 0;
    let die: () => void = () => undefined;
    const died = new Promise<void>((resolve) => (die = resolve));
    const tampering: Tampering = {};
    const inner = new Proxy(log, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name !== "append") return member.bind(target) as unknown;
        return async (stream: string, ...rest: unknown[]) => {
          const isOurs = stream === "session-s1";
          if (isOurs) appends += 1;
          const isLast = isOurs && appends === kill?.append;
          if (isLast && kill?.moment === "before") {
            tampering.killed = true;
            die();
            return new Promise(() => undefined);
          }
          const facts = (await Reflect.apply(member, target, [stream, ...rest])) as { type: string }[];
          if (isOurs) commits.push(facts.map(({ type }) => type));
          if (isLast) {
            tampering.killed = true;
            die();
          }
          return facts;
        };
      },
    });
    const models = { s: recorded(scriptedModel(script)) };
    const first = await scriptedRuntime(tampered(inner, tampering), [], {
      config: small,
      extensions,
      models,
    });
    const life = (async () => {
      const session = await first.sessions.start({ model: "s/m", sessionId: "s1" });
      await session.prompt("first");
      return session.prompt(words(500, "late"));
    })();
    const ended = await Promise.race([life, died.then(() => null)]);
    let text = ended?.text ?? "";
    if (ended === null) {
      time.now += 60_000;
      const second = await scriptedRuntime(log, [], { config: small, extensions, models });
      const known = (await second.sessions.list()).some(({ sessionId }) => sessionId === "s1");
      const session = known
        ? await second.sessions.resume("s1")
        : await second.sessions.start({ model: "s/m", sessionId: "s1" });
      let done = await factsOf(log, "session-s1");
      const prompts = (): number => done.filter(({ type }) => type === "prompt.submitted").length;
      if (prompts() > 0) await session.outcome();
      done = await factsOf(log, "session-s1");
      if (prompts() === 0) await session.prompt("first");
      if (prompts() < 2) await session.prompt(words(500, "late"));
      text = (await session.outcome())?.text ?? "";
      await second.close();
    } else await first.close();
    const facts = await factsOf(log, "session-s1");
    const { divergences } = await verifyReplay(log, "s1");
    const summaries = facts.flatMap(({ type, data }) =>
      type === "session.compacted" ? [(data as { summary: string }).summary] : [],
    );
    await log.close();
    const sent = textsOf(models.s.asked.at(-1) as never);
    return { commits, types: facts.map(({ type }) => type), text, divergences, summaries, sent };
  }

  const whole = run(null);

  test("undisturbed, it fails to compact, compacts, and compacts when it is refused", async () => {
    const { types, text, divergences, summaries } = await whole;
    expect({ text, divergences, summaries }).toEqual({
      text: "Done.",
      divergences: [],
      summaries: ["SUMMARY ONE", "SUMMARY TWO"],
    });
    expect(types.filter((type) => /compact|model\.failed/.test(type))).toEqual([
      "compaction.due",
      "compaction.requested",
      "compaction.failed",
      "compaction.due",
      "compaction.requested",
      "session.compacted",
      "model.failed",
      "compaction.requested",
      "session.compacted",
    ]);
  });

  test("goes on to the same end, with the same summaries, from every boundary of a commit", async () => {
    const { commits, sent, types } = await whole;
    const first = commits.findIndex((each) => each.includes("compaction.due"));
    // The last commit closes the session, when all is done.
    const points = commits
      .slice(0, -1)
      .flatMap((_types, index) =>
        index < first - 1
          ? []
          : (["before", "after"] as const).map((moment) => ({ append: index + 1, moment })),
      );
    expect(points.length).toBeGreaterThan(20);
    const kinds = new Set<string>();
    for (const point of points) {
      const killed = await run(point);
      expect({ point, ...killed, commits: [], types: [] }).toEqual({
        point,
        commits: [],
        types: [],
        text: "Done.",
        divergences: [],
        summaries: ["SUMMARY ONE", "SUMMARY TWO"],
        sent,
      });
      for (const type of killed.types) if (!types.includes(type)) kinds.add(type);
    }
    // What was asked is asked again.
    expect([...kinds].sort()).toEqual(["compaction.lost", "model.lost"]);
  });
});

test("any lengths of prompts and answers: the run ends, replay agrees, and a script is played in its order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          prompt: fc.integer({ min: 1, max: 900 }),
          answer: fc.integer({ min: 1, max: 900 }),
          how: fc.constantFrom("said", "said", "said", "refused", "broken"),
        }),
        { minLength: 2, maxLength: 8 },
      ),
      async (steps) => {
        const turns = steps.flatMap(({ answer, how }): ScriptedTurn[] => {
          if (how === "refused") return [{ error: { status: 413 } }, { text: words(answer) }];
          return how === "broken" ? [{ error: { status: 400 } }] : [{ text: words(answer) }];
        });
        const subject = await subjectOf(turns);
        for (const { prompt } of steps) await subject.session.prompt(words(prompt));
        const facts = await subject.facts();
        const count = (type: string): number => facts.filter((fact) => fact.type === type).length;
        expect(count("agent.ended")).toBe(steps.length);
        expect(count("compaction.requested")).toBe(count("session.compacted") + count("compaction.failed"));
        // Each request of whatever kind was answered by the next turn of the script.
        const { asked } = subject;
        const requests = asked.filter((context, index) => index === 0 || context !== asked[index - 1]).length;
        expect(requests).toBeGreaterThanOrEqual(count("model.responded") + count("session.compacted"));
        expect(await subject.close()).toEqual([]);
      },
    ),
    { numRuns: rounds(15, 200, 1_000) },
  );
});
