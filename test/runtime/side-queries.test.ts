import { describe, expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { scriptedModel, type Model, type ScriptedTurn } from "../../src/providers/index.ts";
import type { Runtime, RuntimeOptions, SideQueryError } from "../../src/runtime/index.ts";
import { AskedModel, broke, said, shownIn, usage } from "../support/asked-model.ts";
import { memoryLog, tampered, type Tampering } from "../support/log-doubles.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { factOfType, factsOf, gate, probe, probeExtension, scriptedRuntime } from "../support/runtimes.ts";

interface Rig {
  readonly log: EventLog;
  readonly model: AskedModel;
  readonly runtime: Runtime;
  readonly clock: ManualClock;
}

/** A runtime with a session `s` that has had a run, and a model for side queries that the test answers. */
async function rig(
  turns: readonly ScriptedTurn[] = [{ text: "It is done." }],
  options: Partial<RuntimeOptions> = {},
  window?: number,
): Promise<Rig> {
  const log = await memoryLog();
  const clock = new ManualClock();
  const model = new AskedModel(window);
  const models = { s: scriptedModel(turns), asked: model as Model, ...options.models };
  const runtime = await scriptedRuntime(log, turns, { clock, ...options, models });
  return { log, model, runtime, clock };
}

async function withSession(...args: Parameters<typeof rig>): Promise<Rig> {
  const made = await rig(...args);
  const session = await made.runtime.sessions.start({ model: "s/m", sessionId: "s", approval: "auto" });
  await session.prompt("Do the thing");
  return made;
}

/** The actors under the supervisor of side queries. */
function openIn({ supervision }: Runtime): readonly unknown[] {
  const services = supervision.tree().children[1]?.supervisor;
  const found = services?.children.find(({ id }) => id === "side_queries");
  return found?.supervisor?.children ?? ["no supervisor of side queries"];
}

const asking = { model: "asked/model" };

async function sideFacts(log: EventLog): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const { stream } of await log.streams("side_query-")) facts.push(...(await factsOf(log, stream)));
  return facts;
}

async function versionOf(log: EventLog, stream: string): Promise<number> {
  return (await log.streams(stream))[0]?.version ?? 0;
}

describe("a side query", () => {
  test("answers from the conversation, changes nothing in it, and is recorded in a stream of its own", async () => {
    const { log, model, runtime, clock } = await withSession();
    const before = await versionOf(log, "session-s");
    const asked = runtime.sideQuery.ask("s", "  What was done?  ", asking);
    const request = await model.asked(0);
    expect(request.context.tools).toEqual([]);
    expect(shownIn(request)).toEqual([
      "user: Do the thing",
      "assistant: It is done.",
      "user: What was done?",
    ]);
    expect(openIn(runtime)).toMatchObject([{ type: "worker", restart: "temporary" }]);
    clock.advance(40);
    request.answer(
      said("The thing.", {
        content: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "The thing." },
        ],
      }),
    );
    const result = await asked;
    const { id } = result;
    expect(id).toMatch(/^sq_[0-9a-f]{16}$/);
    expect(result).toEqual({
      text: "The thing.",
      id,
      sessionKey: `side_query:${id}`,
      model: "asked/model",
      usage,
      durationMs: 40,
      sourceVersion: before,
      parentHistoryChanged: false,
      tools: [],
    });
    expect(await versionOf(log, "session-s")).toBe(before);
    const facts = await factsOf(log, `side_query-${id}`);
    expect(facts.map(({ type, kind, causation }) => [type, kind, causation])).toEqual([
      ["side_query.asked", "input", null],
      ["side_query.answered", "input", 1],
    ]);
    expect(facts[0]?.data).toMatchObject({
      queryId: id,
      question: "What was done?",
      sourceSessionId: "s",
      source: "live",
    });
    expect(facts[1]?.data).toMatchObject({ usage, sourceVersion: before, messages: 2, leftOut: 0 });
    expect((await runtime.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(["s"]);
    // Its actor is gone.
    expect(openIn(runtime)).toEqual([]);
    expect((await runtime.introspection.list({ sessionId: "s" })).map(({ eventType }) => eventType)).toEqual(
      expect.arrayContaining(["side_query_asked", "side_query_answered"]),
    );
    await runtime.close();
  });

  test("asks the model of its source, with the thinking of its source, unless it is told another", async () => {
    const { runtime, model } = await rig([]);
    const session = await runtime.sessions.start({
      model: "asked/model",
      sessionId: "s",
      thinkingLevel: "high",
    });
    const first = runtime.sideQuery.ask(session, "Well?");
    (await model.asked(0)).answer(said("So."));
    expect((await first).model).toBe("asked/model");
    expect(model.requests[0]?.options.thinkingLevel).toBe("high");
    const second = runtime.sideQuery.ask(session, "Well?", { thinkingLevel: "off" });
    (await model.asked(1)).answer(said("So."));
    await second;
    expect(model.requests[1]?.options.thinkingLevel).toBe("off");
    await runtime.close();
  });

  test("has the system prompt of its source, or the one that it is given, and what it is told itself", async () => {
    const { runtime, model } = await withSession();
    const first = runtime.sideQuery.ask("s", "Well?", { ...asking, systemPrompt: "Be brief." });
    const request = await model.asked(0);
    expect(request.context.systemPrompt).toMatch(/^Be brief\.\n\nYou are asked a side question/);
    request.answer(said("So."));
    await first;
    await runtime.close();
  });

  test("of a scripted session takes the script from its first turn", async () => {
    const { runtime } = await withSession([{ text: "One." }, { text: "Two." }]);
    expect((await runtime.sideQuery.ask("s", "And?")).text).toBe("One.");
    expect((await runtime.sideQuery.ask("s", "And?")).text).toBe("One.");
    const script = { path: "x.json", text: JSON.stringify({ turns: [{ text: "Mine." }] }) };
    expect(await runtime.sideQuery.ask("s", "And?", { script })).toMatchObject({
      text: "Mine.",
      model: "scripted/script",
    });
    await runtime.close();
  });
});

describe("a source", () => {
  test("in the middle of a turn is read at its last fact: words quoted, names of tools, and nothing of what they do", async () => {
    const hold = gate<string>();
    const { log, model, runtime } = await rig(
      [{ text: "I look.\nNow.", ...probe("a-secret-path") }, { text: "End." }],
      {
        extensions: [probeExtension(() => hold.promise)],
      },
    );
    const session = await runtime.sessions.start({ model: "s/m", sessionId: "s", approval: "auto" });
    const running = session.prompt("Go");
    await factOfType(log, "session-s", "tool_call.started");
    const before = await versionOf(log, "session-s");
    const asked = runtime.sideQuery.ask(session, "What are you at?", asking);
    const request = await model.asked(0);
    const shown = shownIn(request);
    expect(shown[0]).toBe("user: Go");
    expect(shown[1]).toMatch(
      /^user: \[The agent is in the middle[^]*\n> I look\.\n> Now\.\n\[called: probe\]$/,
    );
    expect(shown).toHaveLength(3);
    expect(shown.join("\n")).not.toContain("a-secret-path");
    request.answer(said("Looking."));
    expect(await asked).toMatchObject({ text: "Looking.", sourceVersion: before });
    expect(await versionOf(log, "session-s")).toBe(before);
    hold.open("seen");
    expect((await running).text).toBe("End.");
    const later = runtime.sideQuery.ask(session, "And now?", asking);
    expect(shownIn(await model.asked(1))).toEqual([
      "user: Go",
      'assistant: I look.\nNow.\n[called probe with {"name":"a-secret-path"}]',
      "user: [result of probe]\nseen",
      "assistant: End.",
      "user: And now?",
    ]);
    model.requests[1]?.answer(said("Done."));
    await later;
    await runtime.close();
  });

  test("is found as a live session, its id, its key, a key of its own, and all of these in the log", async () => {
    const { log, model, runtime } = await rig([{ text: "Hello." }]);
    const session = await runtime.sessions.start({ model: "s/m", sessionId: "s", sessionKey: "chat:7" });
    await session.prompt("Hi");
    let asked = 0;
    const ask = async (
      from: Runtime,
      source: Parameters<Runtime["sideQuery"]["ask"]>[0],
    ): Promise<string> => {
      const answer = from.sideQuery.ask(source, "Well?", asking);
      const request = await model.asked(asked);
      asked += 1;
      request.answer(said(shownIn(request).join("|")));
      return (await answer).text;
    };
    const all = "user: Hi|assistant: Hello.|user: Well?";
    for (const source of [session, "s", "session:s", "chat:7"]) expect(await ask(runtime, source)).toBe(all);
    // Another runtime on the same log reads it there, though it does not lead it.
    const other = await scriptedRuntime(log, [], { models: { asked: model as Model } });
    for (const source of ["s", "session:s", "chat:7"]) expect(await ask(other, source)).toBe(all);
    await other.close();
    await session.shutdown();
    for (const source of [session, "s", "chat:7"]) expect(await ask(runtime, source)).toBe(all);
    const kinds = (await sideFacts(log))
      .filter(({ type }) => type === "side_query.asked")
      .map(({ data }) => (data as { source: string }).source);
    expect(kinds.filter((kind) => kind === "live")).toHaveLength(4);
    expect(kinds.filter((kind) => kind === "log")).toHaveLength(6);
    await runtime.close();
  });

  test("from the log gives its last runs alone, and a line says how much is missing", async () => {
    const { model, runtime } = await rig([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
    for (const prompt of ["1", "2", "3"]) await session.prompt(prompt);
    await session.shutdown();
    const asked = runtime.sideQuery.ask("s", "Well?", { ...asking, limit: 2 });
    expect(shownIn(await model.asked(0))).toEqual([
      "user: [older messages of this conversation that are left out here: 2]",
      "user: 2",
      "assistant: Two.",
      "user: 3",
      "assistant: Three.",
      "user: Well?",
    ]);
    model.requests[0]?.answer(said("So."));
    await asked;
    await runtime.close();
  });

  test("that is too long for the model loses its oldest messages", async () => {
    const long = "x".repeat(8_000);
    const { log, model, runtime } = await withSession([{ text: long }], {}, 6_000);
    const asked = runtime.sideQuery.ask("s", "Well?", asking);
    const request = await model.asked(0);
    expect(shownIn(request)).toEqual([
      "user: [older messages of this conversation that are left out here: 2]",
      "user: Well?",
    ]);
    expect(request.options.maxOutputTokens).toBeGreaterThanOrEqual(4_096);
    request.answer(said("I don't know."));
    await asked;
    expect((await sideFacts(log)).at(-1)?.data).toMatchObject({ messages: 0, leftOut: 2 });
    await runtime.close();
  });

  test("that the provider finds too long is tried with half of it", async () => {
    const { model, runtime } = await withSession([{ text: "y".repeat(80_000) }], {}, 30_000);
    const asked = runtime.sideQuery.ask("s", "Well?", asking);
    expect(shownIn(await model.asked(0))).toHaveLength(3);
    model.requests[0]?.answer(broke("context_too_long"));
    expect(shownIn(await model.asked(1))).toHaveLength(2);
    model.requests[1]?.answer(said("So."));
    expect((await asked).text).toBe("So.");
    await runtime.close();
  });

  test("may be a conversation of the caller's own, in plain words or as the runtime gives it", async () => {
    const { log, model, runtime } = await withSession();
    const plain = runtime.sideQuery.ask(
      {
        systemPrompt: "You know it.",
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: "Hello.", calls: [{ name: "bash", args: { command: "ls" } }] },
        ],
      },
      "Well?",
      asking,
    );
    const request = await model.asked(0);
    expect(request.context.systemPrompt).toMatch(/^You know it\./);
    expect(shownIn(request)[1]).toMatch(/> Hello\.\n\[called: bash\]$/);
    request.answer(said("So."));
    expect(await plain).toMatchObject({ text: "So.", sourceVersion: null });
    const { messages } = await runtime.replay.stateAt("s");
    const own = runtime.sideQuery.ask({ messages }, "Well?", asking);
    expect(shownIn(await model.asked(1))).toEqual([
      "user: Do the thing",
      "assistant: It is done.",
      "user: Well?",
    ]);
    model.requests[1]?.answer(said("So."));
    await own;
    expect((await sideFacts(log))[0]?.data).toMatchObject({ sourceSessionId: null, source: "transcript" });
    await runtime.close();
  });
});

describe("the model", () => {
  test("that calls a tool is told once that there is none, and then its words count", async () => {
    const { model, runtime } = await withSession();
    const call = { providerCallId: "p1", name: "bash", argumentsText: '{"command":"ls"}' };
    const asked = runtime.sideQuery.ask("s", "Well?", asking);
    (await model.asked(0)).answer(said("I look.", { calls: [call], finishReason: "tool_calls" }));
    const second = await model.asked(1);
    expect(second.context.tools).toEqual([]);
    const [assistant, tool] = second.context.messages.slice(-2);
    expect(assistant).toMatchObject({ role: "assistant", content: [{ text: "I look." }, { name: "bash" }] });
    expect(tool).toMatchObject({ role: "tool", results: [{ name: "bash", isError: true }] });
    second.answer(said("In words.", { calls: [call], finishReason: "tool_calls" }));
    const result = await asked;
    expect(result.text).toBe("In words.");
    expect(result.usage.inputTokens).toBe(20);
    expect(model.requests).toHaveLength(2);

    const blank = runtime.sideQuery.ask("s", "Well?", asking);
    (await model.asked(2)).answer(said("I look.", { calls: [call], finishReason: "tool_calls" }));
    (await model.asked(3)).answer(said("  ", { calls: [call], finishReason: "tool_calls" }));
    await expect(blank).rejects.toMatchObject({ code: "LEMON_QUERY_FAILED" });
    expect(model.requests).toHaveLength(4);
    await runtime.close();
  });

  test.each([
    ["a cut answer", said("half", { finishReason: "length" }), "length"],
    ["a filtered answer", said("half", { finishReason: "content_filter" }), "content_filter"],
    ["a blank answer", said(" \n"), "empty_answer"],
    ["a refusal", broke("auth", null, "half"), "auth"],
  ] as const)("%s is none", async (_name, answer, why) => {
    const { log, model, runtime } = await withSession();
    const asked = runtime.sideQuery.ask("s", "Well?", asking);
    (await model.asked(0)).answer(answer);
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "LEMON_QUERY_FAILED", message: "the side query was not answered" });
    expect((error as Error).cause).toBeUndefined();
    expect((await sideFacts(log)).at(-1)).toMatchObject({
      type: "side_query.failed",
      data: { reason: "query_failed", why },
    });
    await runtime.close();
  });

  test("that fails is asked again as in a session, and not when that would come too late", async () => {
    const { model, runtime, clock } = await withSession();
    const asked = runtime.sideQuery.ask("s", "Well?", { ...asking, timeoutMs: 5_000 });
    (await model.asked(0)).answer(broke("overloaded"));
    // 1 s times 0.75 by the random number of the runtime.
    while (clock.nextInMs !== 750) await new Promise(setImmediate);
    clock.advance(750);
    (await model.asked(1)).answer(broke("rate_limited", 60_000));
    await expect(asked).rejects.toMatchObject({ code: "LEMON_QUERY_FAILED" });
    expect(model.requests).toHaveLength(2);
    await runtime.close();
  });

  test("that throws is no reason to tell what it threw", async () => {
    const log = await memoryLog();
    const thrower: Model = {
      ref: "thrower/x",
      request: () => Promise.reject(new Error("sk-0123456789 at /home/me")),
    };
    const runtime = await scriptedRuntime(log, [], { models: { thrower } });
    const error: unknown = await runtime.sideQuery
      .ask({ messages: [] }, "Well?", { model: "thrower/x" })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: "the side query was not answered", reason: "query_failed" });
    const facts = await sideFacts(log);
    expect(facts.at(-1)?.data).toMatchObject({ reason: "query_failed", why: "internal" });
    expect(JSON.stringify(facts)).not.toContain("sk-");
    await runtime.close();
  });

  test("that nobody knows, or that none is configured, is the same to the caller: the option is named", async () => {
    const { runtime } = await withSession();
    for (const ask of [
      () => runtime.sideQuery.ask("s", "Well?", { model: "nobody/knows" }),
      () => runtime.sideQuery.ask({ messages: [] }, "Well?"),
    ])
      await expect(ask()).rejects.toMatchObject({ code: "LEMON_QUERY_FAILED", field: "model" });
    await runtime.close();
  });

  test("of an extension is loaded for the question alone", async () => {
    const { runtime } = await rig([], {
      extensions: [
        {
          name: "acme",
          version: "1.0.0",
          capabilities: ["providers"],
          providers: [
            {
              type: "model",
              name: "acme",
              provider: {
                stream: async function* () {
                  yield { type: "text-delta", id: "1", delta: "From acme." };
                  yield { type: "finish", finishReason: "stop", usage: {} };
                },
              },
            },
          ],
        },
      ],
    });
    const asked = await runtime.sideQuery.ask({ messages: [] }, "Well?", { model: "acme/one" });
    expect(asked).toMatchObject({ text: "From acme.", model: "acme/one" });
    await runtime.close();
  });
});

describe("time", () => {
  test("ends it wherever it is, whatever the model does, and tells the model", async () => {
    const { log, model, runtime, clock } = await withSession();
    const asked = runtime.sideQuery.ask("s", "Well?", { ...asking, timeoutMs: 200 });
    const request = await model.asked(0);
    clock.advance(200);
    await expect(asked).rejects.toMatchObject({ code: "LEMON_TIMEOUT" });
    expect(request.options.signal.aborted).toBe(true);
    expect((await sideFacts(log)).map(({ type }) => type)).toEqual(["side_query.asked", "side_query.failed"]);
    request.answer(said("Too late."));
    await runtime.close();
    expect(await sideFacts(log)).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  test("ends it a second later where the log is stuck", async () => {
    const { log, model, runtime: first } = await withSession();
    await first.close();
    const stuck = gate();
    const clock = new ManualClock();
    const tampering: Tampering = {};
    const models = { asked: model as Model };
    const runtime = await scriptedRuntime(tampered(log, tampering), [], { clock, models });
    let end: string | null = null;
    const asked = runtime.sideQuery
      .ask("s", "Well?", { ...asking, timeoutMs: 200 })
      .catch((error: unknown) => (end = (error as SideQueryError).reason));
    const request = await model.asked(0);
    tampering.beforeAppend = (stream) => (stream.startsWith("side_query-") ? stuck.promise : undefined);
    request.answer(said("So."));
    await new Promise(setImmediate);
    clock.advance(200);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(end).toBeNull();
    clock.advance(1_000);
    await asked;
    expect(end).toBe("timeout");
    stuck.open();
    await runtime.close();
  });

  test("in the line counts: who has none left is not asked", async () => {
    const { log, model, runtime, clock } = await withSession();
    const order: string[] = [];
    const ask = (name: string, timeoutMs: number): Promise<void> =>
      runtime.sideQuery.ask("s", name, { ...asking, timeoutMs }).then(
        ({ text }) => void order.push(`${name}: ${text}`),
        (error: unknown) => void order.push(`${name}: ${(error as SideQueryError).reason}`),
      );
    const all = [ask("first", 1_000), ask("second", 100), ask("third", 1_000)];
    await model.asked(0);
    // Another session's, or a conversation of one's own, does not wait.
    const own = runtime.sideQuery.ask({ messages: [] }, "Well?", asking);
    (await model.asked(1)).answer(said("At once."));
    await own;
    while ((await sideFacts(log)).filter(({ type }) => type === "side_query.asked").length < 4)
      await new Promise(setImmediate);
    clock.advance(100);
    await all[1];
    model.requests[0]?.answer(said("One."));
    (await model.asked(2)).answer(said("Three."));
    await Promise.all(all);
    expect(order).toEqual(["second: timeout", "first: One.", "third: Three."]);
    expect(model.requests.map(({ context }) => context.messages.at(-1))).toMatchObject([
      { content: [{ text: "first" }] },
      { content: [{ text: "Well?" }] },
      { content: [{ text: "third" }] },
    ]);
    await runtime.close();
  });

  test.each([
    [undefined, 30_000],
    [0, 30_000],
    [-5, 30_000],
    [1.5, 30_000],
    [Number.NaN, 30_000],
    [45_000, 45_000],
    [10_000_000, 120_000],
  ])("of %s is %i ms", async (timeoutMs, expected) => {
    const { log, runtime } = await withSession();
    await runtime.sideQuery.ask("s", "Well?", timeoutMs === undefined ? {} : { timeoutMs });
    expect((await sideFacts(log))[0]?.data).toMatchObject({ timeoutMs: expected, limit: 20 });
    await runtime.close();
  });
});

describe("an end from outside", () => {
  test("the caller's signal cancels it, at once when it has fired before", async () => {
    const { log, model, runtime } = await withSession();
    const abort = new AbortController();
    const asked = runtime.sideQuery.ask("s", "Well?", { ...asking, signal: abort.signal });
    await model.asked(0);
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: "LEMON_CANCELLED" });
    expect((await sideFacts(log)).at(-1)?.data).toMatchObject({ reason: "cancelled" });
    await expect(runtime.sideQuery.ask("s", "Well?", { signal: abort.signal })).rejects.toMatchObject({
      code: "LEMON_CANCELLED",
    });
    expect(await sideFacts(log)).toHaveLength(2);
    await runtime.close();
  });

  test("the end of the runtime cancels those that are open, and takes no more", async () => {
    const { log, model, runtime } = await withSession();
    const both = [runtime.sideQuery.ask("s", "1", asking), runtime.sideQuery.ask("s", "2", asking)];
    const ended = Promise.allSettled(both);
    await model.asked(0);
    await runtime.close();
    expect(await ended).toMatchObject([
      { status: "rejected", reason: { code: "LEMON_CANCELLED" } },
      { status: "rejected", reason: { code: "LEMON_CANCELLED" } },
    ]);
    const types = (await sideFacts(log)).map(({ type }) => type);
    expect(types.filter((type) => type === "side_query.asked").length).toBe(
      types.filter((type) => type === "side_query.failed").length,
    );
    await expect(runtime.sideQuery.ask("s", "3", asking)).rejects.toMatchObject({ code: "LEMON_CANCELLED" });
  });

  test("one whose runtime is gone is closed by the next, and one whose runtime lives is not", async () => {
    const { log, model, runtime } = await withSession();
    const asked = runtime.sideQuery.ask("s", "Well?", asking);
    await model.asked(0);
    const [open] = await log.streams("side_query-");
    const stream = "side_query-sq_00000000000000ff";
    const [left] = await factsOf(log, open?.stream ?? "");
    await log.append(stream, "none", left === undefined ? [] : [left]);
    const next = await scriptedRuntime(log, []);
    expect(
      (await factsOf(log, stream)).map(({ type, actor, causation }) => [type, actor, causation]),
    ).toEqual([
      ["side_query.asked", left?.actor, null],
      ["side_query.failed", "recovery", 1],
    ]);
    expect(await factsOf(log, open?.stream ?? "")).toHaveLength(1);
    model.requests[0]?.answer(said("Still here."));
    expect((await asked).text).toBe("Still here.");
    await next.close();
    await runtime.close();
  });
});

describe("what is refused", () => {
  test.each([
    ["", "empty_question"],
    [" \n\t", "empty_question"],
    ["x".repeat(32 * 1_024 + 1), "invalid_question"],
    ["é".repeat(16 * 1_024 + 1), "invalid_question"],
    [7, "invalid_question"],
    [null, "invalid_question"],
  ])("the question %#, before the source is looked for", async (question, reason) => {
    const { log, runtime } = await rig();
    await expect(runtime.sideQuery.ask("nobody", question as string)).rejects.toMatchObject({
      reason,
      field: "question",
    });
    expect(await sideFacts(log)).toEqual([]);
    await runtime.close();
  });

  test("a question of 32 KiB is taken", async () => {
    const { runtime } = await withSession();
    const asked = runtime.sideQuery.ask("s", ` ${"x".repeat(32 * 1_024)} `);
    await expect(asked).resolves.toMatchObject({ text: "It is done." });
    await runtime.close();
  });

  test.each([
    ["nobody", "session_not_found"],
    ["session:nobody", "session_not_found"],
    ["", "session_not_found"],
    [" s", "session_not_found"],
    [7, "invalid_source"],
    [null, "invalid_source"],
    [[], "invalid_source"],
    [{}, "invalid_source"],
    [{ messages: "all" }, "invalid_source"],
    [{ messages: [{ role: "system", content: "x" }] }, "invalid_source"],
    [{ messages: [{ role: "user", content: 7 }] }, "invalid_source"],
    [{ messages: [], systemPrompt: 7 }, "invalid_source"],
  ])("the source %j", async (source, reason) => {
    const { log, runtime } = await withSession();
    await expect(runtime.sideQuery.ask(source as string, "Well?")).rejects.toMatchObject({ reason });
    expect(await sideFacts(log)).toEqual([]);
    await runtime.close();
  });

  test("names the member of a conversation that is wrong and nothing of what it holds", async () => {
    const { runtime } = await rig();
    const messages = [{ role: "user", content: [{ type: "text", text: { hush: "hush" } }] }];
    const error: unknown = await runtime.sideQuery
      .ask({ messages }, "Well?")
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "LEMON_INVALID_SOURCE",
      field: expect.stringMatching(/^\/messages\/0\/content/),
    });
    expect(String((error as Error).message)).not.toContain("hush");
    await runtime.close();
  });

  test("a history that can't be read, and a session that can't be opened", async () => {
    const { log, runtime, model } = await withSession();
    await (await runtime.sessions.get("s"))?.shutdown();
    const unreadable = new Proxy(log, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name === "readStored")
          return (stream: string) => {
            if (stream === "session-s") throw new Error("/home/me/secret/log.db is gone");
            return target.readStored(stream);
          };
        return typeof member === "function" ? (member as () => unknown).bind(target) : member;
      },
    });
    const other = await scriptedRuntime(unreadable, [], { models: { asked: model as Model } });
    const error: unknown = await other.sideQuery.ask("s", "Well?", asking).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "LEMON_HISTORY_UNAVAILABLE" });
    expect(JSON.stringify([error, (error as Error).message, (error as Error).cause ?? null])).not.toContain(
      "secret",
    );
    const foreign = await runtime.sessions.start({ sessionId: "t", model: "s/m" });
    await foreign.shutdown();
    const empty = await rig();
    await expect(empty.runtime.sideQuery.ask(foreign, "Well?", asking)).rejects.toMatchObject({
      code: "LEMON_SESSION_UNAVAILABLE",
    });
    await empty.runtime.close();
    await other.close();
    await runtime.close();
  });

  test("secrets stay out of the facts, and of what the model is asked", async () => {
    const { log, model, runtime } = await withSession(undefined, {
      env: { ANTHROPIC_API_KEY: "hush-hush-hush", LEMON_CHECKPOINTS_EXPORT: "false" },
    });
    const asked = runtime.sideQuery.ask("s", "Is it hush-hush-hush?", asking);
    const request = await model.asked(0);
    request.answer(said("It is hush-hush-hush."));
    expect((await asked).text).not.toContain("hush-hush-hush");
    expect(shownIn(request).join()).not.toContain("hush-hush-hush");
    expect(JSON.stringify(await sideFacts(log))).not.toContain("hush-hush-hush");
    await runtime.close();
  });
});
