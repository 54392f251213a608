import { describe, expect, test } from "vitest";
import { noUsage, type FactData } from "../../../src/events/index.ts";
import { scriptedModel, type Model, type ScriptedTurn } from "../../../src/providers/index.ts";
import { advanceAlive, ManualClock } from "../../support/manual-clock.ts";
import { factOfType, gate, probe, probeExtension } from "../../support/runtimes.ts";
import { isSummaryRequest, rows, subjectOf, textsOf, words } from "./support.ts";

/** One answer that fills most of the window, and a prompt that is too much for the rest. */
const filled: ScriptedTurn = { text: words(1_200, "early") };
const more = words(500, "late");
const summary: ScriptedTurn = { text: "## Task\nWe spoke of early things." };

describe("when a request would be too long", () => {
  test("a summary takes the place of what is old, and the run goes on at the same attempt", async () => {
    const subject = await subjectOf([filled, summary, { text: "Done." }]);
    await subject.session.prompt("first");
    const { text, usage } = await subject.session.prompt(more);
    expect(text).toBe("Done.");
    expect(rows(await subject.facts(), 10)).toEqual([
      "10 prompt.submitted i ← –",
      "11 agent.started d ← 10",
      "12 turn.started d ← 10",
      "13 model.requested d ← 10",
      "14 compaction.due i ← 13",
      "15 compaction.requested d ← 14",
      "16 session.compacted i ← 15",
      "17 model.requested d ← 16",
      "18 model.responded i ← 17",
      "19 turn.ended d ← 18",
      "20 agent.ended d ← 18",
    ]);
    expect(
      (await subject.dataOf("model.requested")).map(({ mayCompact, attempt }) => [mayCompact, attempt]),
    ).toEqual([
      [true, 1],
      [true, 1],
      [false, 1],
    ]);
    const [due] = await subject.dataOf("compaction.due");
    const [requested] = await subject.dataOf("compaction.requested");
    expect(requested).toEqual({ turn: 1, reason: "due", ...due });
    expect(due?.window).toBe(2_000);
    expect(due?.tokens).toBeGreaterThan(1_600);
    const [compacted] = await subject.dataOf("session.compacted");
    expect(compacted).toMatchObject({ summary: summary.text, messages: 2, kept: [], leftOut: 0 });
    expect(compacted?.tokensBefore).toBe(due?.tokens);
    expect(compacted?.tokensAfter).toBeLessThan(800);
    const [, asked, after] = subject.asked;
    expect(asked?.tools).toEqual([]);
    expect(textsOf(asked as never).join()).toContain("### User\nfirst\n\n### Agent\nearly early");
    expect(textsOf(asked as never).join()).not.toContain("late");
    expect(textsOf(after as never)).toEqual([
      expect.stringMatching(/^\[summary of [^]*early things\.$/),
      more,
    ]);
    expect(after?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
    // What the summary cost is a cost of the run and of the session.
    const [, answered] = await subject.dataOf("model.responded");
    expect(usage.inputTokens).toBe((answered?.usage.inputTokens ?? 0) + (compacted?.usage.inputTokens ?? 0));
    const { usage: total } = subject.session.state();
    expect(total.inputTokens).toBeGreaterThan(usage.inputTokens);
    expect(await subject.close()).toEqual([]);
  });

  test("subscribers are told of its beginning and its end, and are shown no message of it", async () => {
    const subject = await subjectOf([filled, summary, { text: "Done." }]);
    await subject.session.prompt("first");
    await subject.session.prompt(more);
    const at = subject.events.findIndex(({ type }) => type === "compaction_start");
    expect(subject.events.slice(at - 1, at + 3).map(({ type }) => type)).toEqual([
      "message_end",
      "compaction_start",
      "compaction_end",
      "message_start",
    ]);
    const [compacted] = await subject.dataOf("session.compacted");
    expect(subject.events[at]).toMatchObject({ reason: "due", tokens: compacted?.tokensBefore });
    expect(subject.events[at + 1]).toMatchObject({
      status: "completed",
      class: null,
      summary: summary.text,
      tokens: compacted?.tokensAfter,
    });
    await subject.close();
  });

  test("people still see the whole conversation, with the summary where it was made", async () => {
    const subject = await subjectOf([filled, summary, { text: "Done." }]);
    await subject.session.prompt("first");
    await subject.session.prompt(more);
    const { messages } = await subject.runtime.replay.stateAt(subject.session.id);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "summary", "assistant"]);
    expect(messages[3]).toMatchObject({ text: summary.text, messages: 2 });
    const before = await subject.runtime.replay.stateAt(subject.session.id, 15);
    expect(before.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await subject.close();
  });

  test("a second compaction summarises the first summary and what came since", async () => {
    const subject = await subjectOf([
      filled,
      { text: "FIRST" },
      { text: words(1_000, "middle") },
      { text: "SECOND" },
      { text: "Done." },
    ]);
    await subject.session.prompt("one");
    await subject.session.prompt(more);
    await subject.session.prompt(words(300, "newest"));
    const requests = subject.asked.filter(isSummaryRequest).map((context) => textsOf(context).join());
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatch(
      /^### Summary of still earlier messages\nFIRST\n\n### User\nlate [^]*### Agent\nmiddle/,
    );
    expect(requests[1]).not.toContain("early");
    const last = textsOf(subject.asked.at(-1) as never);
    expect(last).toHaveLength(2);
    expect(last[0]).toContain("SECOND");
    expect(last[0]).not.toContain("FIRST");
    expect(await subject.close()).toEqual([]);
  });

  test("what was counted before a summary counts for nothing after it", async () => {
    const turns: ScriptedTurn[] = [
      { text: words(5_000) },
      summary,
      { error: { status: 400 } },
      { text: "Done." },
    ];
    const config = {
      models: { s: { contextWindow: 6_000 } },
      compaction: { reserveTokens: 400, keepTokens: 200 },
    };
    const subject = await subjectOf(turns, { config });
    await subject.session.prompt("first");
    expect(await subject.session.prompt(more)).toMatchObject({ error: { class: "bad_request" } });
    expect((await subject.session.prompt("again")).text).toBe("Done.");
    expect(await subject.dataOf("compaction.due")).toHaveLength(1);
    expect(await subject.close()).toEqual([]);
  });

  test("with [compaction] enabled = false it is sent as it is", async () => {
    const subject = await subjectOf([filled, { text: "Done." }], {
      config: { models: { s: { contextWindow: 2_000 } }, compaction: { enabled: false } },
    });
    await subject.session.prompt("first");
    expect((await subject.session.prompt(more)).text).toBe("Done.");
    await subject.close();
  });

  test("a prompt that is too long by itself is sent: there is nothing to compact", async () => {
    const subject = await subjectOf([{ text: "Done." }]);
    expect((await subject.session.prompt(words(3_000))).text).toBe("Done.");
    await subject.close();
  });
});

describe("a model that says how much room it has", () => {
  test.each([
    ["by itself", {}, 2_000, 1],
    ["by itself, which the configuration overrides", { s: { contextWindow: 100_000 } }, 2_000, 0],
    [
      "in the configuration, under its whole name, which wins",
      { "s/m": { contextWindow: 2_000 }, s: { contextWindow: 100_000 } },
      100_000,
      1,
    ],
  ])("%s", async (_how, models, contextWindow, compactions) => {
    const turns = [filled, summary, { text: "Done." }];
    const subject = await subjectOf(
      { ...scriptedModel(turns), contextWindow },
      { config: { models, compaction: { reserveTokens: 400, keepTokens: 200 } } },
    );
    await subject.session.prompt("first");
    await subject.session.prompt(more);
    expect(await subject.dataOf("session.compacted")).toHaveLength(compactions);
    await subject.close();
  });
});

describe("a compaction that fails", () => {
  test.each<[string, ScriptedTurn, Partial<FactData<"compaction.failed">>]>([
    ["the provider refuses", { error: { status: 503 } }, { class: "overloaded", status: 503 }],
    ["the answer breaks off", { text: "half", cutAfter: 2 }, { class: "incomplete_stream", status: null }],
    ["the answer is empty", { text: " \n" }, { class: "empty_summary" }],
    [
      "the provider ends the answer",
      { text: "x", finishReason: "content_filter" },
      { class: "content_filter" },
    ],
    ["the summary is longer than what it stands for", { text: words(1_500) }, { class: "no_gain" }],
  ])("lets the run go on uncompacted: %s", async (_why, turn, failure) => {
    const subject = await subjectOf([filled, turn, { text: "Done." }, { text: "And on." }]);
    await subject.session.prompt("first");
    const { text, usage } = await subject.session.prompt(more);
    expect(text).toBe("Done.");
    expect(rows(await subject.facts(), 13).slice(0, 6)).toEqual([
      "13 model.requested d ← 10",
      "14 compaction.due i ← 13",
      "15 compaction.requested d ← 14",
      "16 compaction.failed i ← 15",
      "17 model.requested d ← 16",
      "18 model.responded i ← 17",
    ]);
    const [failed] = await subject.dataOf("compaction.failed");
    expect(failed).toMatchObject(failure);
    const [, answered] = await subject.dataOf("model.responded");
    expect(usage.outputTokens).toBe((answered?.usage.outputTokens ?? 0) + (failed?.usage.outputTokens ?? 0));
    expect(textsOf(subject.asked.at(-1) as never)).toHaveLength(3);
    expect(subject.events).toContainEqual(
      expect.objectContaining({ type: "compaction_end", status: "failed", class: failed?.class }),
    );
    expect(await subject.close()).toEqual([]);
  });

  test("is tried again in the next turn", async () => {
    const turns = [filled, { error: { status: 500 } }, { text: "Done." }, summary, { text: "And on." }];
    const subject = await subjectOf(turns);
    await subject.session.prompt("first");
    await subject.session.prompt(more);
    expect((await subject.session.prompt("next")).text).toBe("And on.");
    expect(await subject.dataOf("session.compacted")).toHaveLength(1);
    expect(await subject.close()).toEqual([]);
  });

  test("is no loop when the model says that it was aborted and nobody did so", async () => {
    const talks = scriptedModel([filled, { error: { status: 400 } }, { text: "Done." }]);
    const subject = await subjectOf({
      ref: "s/m",
      request: (context, options) =>
        isSummaryRequest(context)
          ? Promise.resolve({ type: "aborted", partialText: "" })
          : talks.request(context, options),
    });
    await subject.session.prompt("first");
    const { error } = await subject.session.prompt(more);
    expect(error).toBeNull();
    expect(await subject.dataOf("compaction.failed")).toMatchObject([{ class: "internal" }]);
    expect(await subject.close()).toEqual([]);
  });

  test("is given up after 120 seconds, whatever the model does", async () => {
    const clock = new ManualClock();
    const deaf: Model = { ref: "s/m", request: () => new Promise(() => undefined) };
    const talks = scriptedModel([filled, { text: "never" }, { text: "Done." }]);
    const asking = gate();
    const model: Model = {
      ref: "s/m",
      request: (context, options) => {
        if (!isSummaryRequest(context)) return talks.request(context, options);
        asking.open();
        return deaf.request(context, options);
      },
    };
    const subject = await subjectOf(model, { clock });
    await subject.session.prompt("first");
    const outcome = subject.session.prompt(more);
    await asking.promise;
    await advanceAlive(clock, 119_999);
    expect(await subject.dataOf("compaction.failed")).toEqual([]);
    clock.advance(1);
    expect((await outcome).text).toBe("Done.");
    expect(await subject.dataOf("compaction.failed")).toEqual([
      { class: "timeout", status: null, usage: noUsage },
    ]);
    expect(await subject.close()).toEqual([]);
  });
});

describe("a request for a summary that is too long itself", () => {
  test("is cut oldest first to what fits, and says so", async () => {
    const subject = await subjectOf([
      ...["A", "B", "C"].map((word) => ({ text: words(560, word) })),
      summary,
      { text: "Done." },
    ]);
    for (const prompt of ["one", "two", "three", more]) await subject.session.prompt(prompt);
    const request = textsOf(subject.asked.find(isSummaryRequest) as never).join();
    const [compacted] = await subject.dataOf("session.compacted");
    expect(compacted).toMatchObject({ messages: 6, leftOut: 1 });
    // What is cut in the middle keeps its beginning.
    expect(request).toMatch(
      /^\[older messages that did not fit in here: 1\]\n\n### Agent\nA A [A ]+\n\[… the other \d+ characters of this message are left out\]\n\n### User\ntwo\n\n### Agent\nB B [^]*C C/,
    );
    expect(await subject.close()).toEqual([]);
  });

  test("is made again at half the size when the provider refuses it all the same", async () => {
    const turns = scriptedModel([filled, summary, { text: "Done." }]);
    const sizes: number[] = [];
    const model: Model = {
      ref: "s/m",
      request: (context, options) => {
        if (!isSummaryRequest(context)) return turns.request(context, options);
        sizes.push(textsOf(context).join().length);
        return sizes.length === 3 ? turns.request(context, options) : tooLong();
      },
    };
    const subject = await subjectOf(model);
    await subject.session.prompt("first");
    await subject.session.prompt(more);
    expect(sizes).toHaveLength(3);
    expect(sizes[2]).toBeLessThan((sizes[0] ?? 0) / 2);
    const [compacted] = await subject.dataOf("session.compacted");
    expect(compacted?.summary).toBe(summary.text);
    expect(await subject.close()).toEqual([]);
  });
});

function tooLong(): ReturnType<Model["request"]> {
  return Promise.resolve({
    type: "failed",
    failure: { class: "context_too_long", status: 400, retryable: false, retryAfterMs: null },
    partialText: "",
    usage: noUsage,
  });
}

describe("when the provider refuses a request as too long", () => {
  const large = { models: { s: { contextWindow: 100_000 } } };
  const refusal: ScriptedTurn = { error: { status: 413 } };

  test("the run compacts once and asks again at the same attempt, though its own estimate saw no need", async () => {
    const subject = await subjectOf([filled, refusal, summary, { text: "Done." }], { config: large });
    await subject.session.prompt("first");
    expect((await subject.session.prompt(more)).text).toBe("Done.");
    expect(rows(await subject.facts(), 13).slice(0, 6)).toEqual([
      "13 model.requested d ← 10",
      "14 model.failed i ← 13",
      "15 compaction.requested d ← 14",
      "16 session.compacted i ← 15",
      "17 model.requested d ← 16",
      "18 model.responded i ← 17",
    ]);
    const [failed] = await subject.dataOf("model.failed");
    expect(failed).toMatchObject({ class: "context_too_long", status: 413, delayMs: null });
    const [requested] = await subject.dataOf("compaction.requested");
    expect(requested).toEqual({ turn: 1, reason: "refused", ...failed?.compaction });
    // It is known by now that the window is smaller than was thought.
    expect(requested?.window).toBe(requested?.tokens);
    expect((await subject.dataOf("model.requested")).at(-1)).toMatchObject({ attempt: 1, mayCompact: false });
    expect(await subject.close()).toEqual([]);
  });

  test("a second refusal in the same turn ends the run", async () => {
    const subject = await subjectOf([filled, refusal, summary, refusal], { config: large });
    await subject.session.prompt("first");
    expect(await subject.session.prompt(more)).toMatchObject({
      status: "failed",
      error: { class: "context_too_long", status: 413 },
    });
    expect(await subject.dataOf("session.compacted")).toHaveLength(1);
    expect(await subject.close()).toEqual([]);
  });

  test("a refusal with nothing to compact ends the run", async () => {
    const subject = await subjectOf([refusal], { config: large });
    expect(await subject.session.prompt(more)).toMatchObject({ error: { class: "context_too_long" } });
    expect(await subject.dataOf("model.failed")).toMatchObject([{ compaction: null }]);
    expect(await subject.close()).toEqual([]);
  });
});

describe("while a summary is being made", () => {
  /** The script, but a summary comes only when the test says so. */
  function waiting(turns: readonly ScriptedTurn[]): {
    model: Model;
    asking: Promise<void>;
    answer: () => void;
  } {
    const scripted = scriptedModel(turns);
    const [asking, answer] = [gate(), gate()];
    const model: Model = {
      ref: "s/m",
      request: async (context, options) => {
        if (isSummaryRequest(context)) {
          asking.open();
          await Promise.race([
            answer.promise,
            new Promise<void>((resolve) => options.signal.addEventListener("abort", () => resolve())),
          ]);
        }
        return scripted.request(context, options);
      },
    };
    return { model, asking: asking.promise, answer: () => answer.open() };
  }

  test("an abort ends the run and the request", async () => {
    const { model, asking } = waiting([filled, summary]);
    const subject = await subjectOf(model);
    await subject.session.prompt("first");
    const outcome = subject.session.prompt(more);
    await asking;
    await subject.session.abort("enough");
    expect(await outcome).toMatchObject({ status: "aborted" });
    expect(rows(await subject.facts(), 15)).toEqual([
      "15 compaction.requested d ← 14",
      "16 abort.requested i ← –",
      "17 model.cancelled d ← 16",
      "18 turn.ended d ← 16",
      "19 agent.ended d ← 16",
    ]);
    expect(subject.events).toContainEqual(
      expect.objectContaining({ type: "compaction_end", status: "canceled" }),
    );
    expect(await subject.close()).toEqual([]);
  });

  test("a steered message waits for its place, and plan mode holds from the next request", async () => {
    const { model, asking, answer } = waiting([filled, summary, { text: "Yes." }, { text: "Done." }]);
    const subject = await subjectOf(model);
    await subject.session.prompt("first");
    const outcome = subject.session.prompt(more);
    await asking;
    await subject.session.steer("mind the gap");
    await subject.session.planMode.enter();
    answer();
    expect((await outcome).text).toBe("Done.");
    expect((await subject.dataOf("model.requested")).map(({ mode }) => mode)).toEqual([
      "normal",
      "normal",
      "plan",
      "plan",
    ]);
    expect(textsOf(subject.asked.at(-1) as never).at(-1)).toBe("mind the gap");
    expect(await subject.close()).toEqual([]);
  });
});

describe("what must not get lost", () => {
  const context = {
    name: "context",
    version: "1.0.0",
    hooks: { onSessionStart: () => ({ additionalContext: "the house rules" }) },
  };

  test("the prompt of the run, what the user said since, and the context of hooks are kept word for word", async () => {
    const steered = gate();
    const turns = [
      { text: words(100, "before") },
      probe("a"),
      probe("b"),
      summary,
      probe("c"),
      { text: "Done." },
    ];
    const results = [words(2_400, "resultA"), words(1_000, "resultB"), "c"];
    const subject = await subjectOf(turns, {
      config: {
        models: { s: { contextWindow: 4_000 } },
        compaction: { reserveTokens: 400, keepTokens: 400 },
      },
      extensions: [
        context,
        probeExtension(async (name) => {
          if (name === "a") await steered.promise;
          return results.shift() ?? "";
        }),
      ],
    });
    await subject.session.prompt("an older prompt");
    const started = factOfType(subject.log, `session-${subject.session.id}`, "tool_call.started");
    const outcome = subject.session.prompt("the task");
    await started;
    await subject.session.steer("no emoji");
    steered.open();
    await outcome;
    const [compacted] = await subject.dataOf("session.compacted");
    const request = textsOf(subject.asked.find(isSummaryRequest) as never).join();
    expect(request).toContain("an older prompt");
    expect(request).toContain("resultA");
    expect(request).not.toMatch(/the task|no emoji|the house rules/);
    const sent = subject.asked.at(-1);
    expect(textsOf(sent as never).slice(0, 4)).toEqual([
      expect.stringContaining("[summary of"),
      expect.stringContaining("the house rules"),
      "the task",
      "no emoji",
    ]);
    expect(compacted?.kept).toEqual([0, 3, 6]);
    expect(await subject.close()).toEqual([]);
  });

  test("calls are never parted from their results", async () => {
    const turns = [probe("a", "b"), probe("c"), summary, { text: "Done." }];
    const subject = await subjectOf(turns, {
      extensions: [probeExtension((name) => Promise.resolve(words(name === "c" ? 250 : 600, name)))],
    });
    await subject.session.prompt("go");
    const sent = subject.asked.at(-1)?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool"]);
    expect(await subject.close()).toEqual([]);
  });
});

test("a secret that the model puts into a summary is hidden", async () => {
  const env = { SESAME: "open-sesame-123456" };
  const subject = await subjectOf([filled, { text: "The key is open-sesame-123456." }, { text: "Done." }], {
    env,
    config: {
      models: { s: { contextWindow: 2_000 } },
      compaction: { reserveTokens: 400, keepTokens: 200 },
      secrets: { KEY: { env: "SESAME" } },
    },
  });
  await subject.session.prompt("first");
  await subject.session.prompt(more);
  expect((await subject.dataOf("session.compacted"))[0]?.summary).toBe("The key is {{secret:KEY}}.");
  expect(JSON.stringify([await subject.facts(), subject.events, subject.asked])).not.toContain("open-sesame");
  expect(await subject.close()).toEqual([]);
});

test("a script that runs out in the middle of a compaction fails it, and then the run", async () => {
  const subject = await subjectOf([filled]);
  await subject.session.prompt("first");
  expect(await subject.session.prompt(more)).toMatchObject({ error: { class: "script_exhausted" } });
  expect(await subject.dataOf("compaction.failed")).toMatchObject([{ class: "script_exhausted" }]);
  await subject.close();
});
