/** The handlers of one event: one after the other, each with its own copy, and answers outlive what comes after them. */
import { describe, expect, it } from "vitest";
import type { HandlerOutcome } from "../../src/extensions/port.ts";
import { testWorld } from "./worker-support.ts";

const calm = { handlerMs: 5000, eventMs: null, untilBlocked: false };
const event = { toolCallId: "c", toolName: "t", args: { a: 1 }, cwd: "/", sessionId: "s" };

function extension(...handlers: string[]): string {
  return `export default { name: "a", version: "1.0.0", hooks: { onToolCall: [${handlers.join(", ")}], onTurnStart: () => {} } }`;
}

function short(outcomes: readonly HandlerOutcome[]): unknown[] {
  return outcomes.map((outcome) => {
    if (outcome.status === "answered") return outcome.answer;
    return outcome.status === "failed" ? `${outcome.failure.kind} ${outcome.failure.class}` : outcome.status;
  });
}

describe("the handlers of one event", () => {
  it("each have arguments of their own", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      extension(
        "(e) => { e.args.a = 2; e.extra = 1 }",
        "(e) => e.args",
        "(e) => ({ extra: e.extra ?? 'none' })",
      ),
    );
    expect(members.hooks).toEqual({ onToolCall: 3, onTurnStart: 1 });
    expect(short(await members.runHooks("onToolCall", [event], calm))).toEqual([
      null,
      { a: 1 },
      { extra: "none" },
    ]);
  });

  it("fail one by one, and the others go on", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      extension(
        "() => { class Boom extends Error {} ; throw new Boom('x') }",
        "async () => { throw 'text' }",
        "5",
        "() => ({ when: new Date(0) })",
        "() => 'fine'",
      ),
    );
    expect(short(await members.runHooks("onToolCall", [event], calm))).toEqual([
      "throw Boom",
      "throw string",
      "not_a_function not_a_function",
      "invalid invalid",
      "fine",
    ]);
  });

  it("end after the first that blocks or fails, when asked to", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      extension("() => ({ block: false })", "() => ({ block: 'no' })", "() => 1"),
    );
    const options = { ...calm, untilBlocked: true };
    expect(short(await members.runHooks("onToolCall", [event], options))).toEqual([
      { block: false },
      { block: "no" },
      "not_run",
    ]);
  });

  it.each([
    ["exits", "() => process.exit(1)", "crash crash"],
    ["loops", "() => { for (;;); }", "timeout timeout"],
    ["never answers", "() => new Promise(() => {})", "timeout timeout"],
  ])("keep their answers when a later one %s, and the culprit is known", async (_name, culprit, failure) => {
    await using t = await testWorld();
    const { members } = await t.open(extension("() => 'first'", "() => {}", culprit, "() => 'never'"));
    const outcomes = await members.runHooks("onToolCall", [event], { ...calm, handlerMs: 200 });
    expect(short(outcomes)).toEqual(["first", null, failure, "not_run"]);
    expect(short(await members.runHooks("onTurnStart", [], calm))).toEqual([null]);
  });

  it("end with the time of the event", async () => {
    await using t = await testWorld();
    const { members } = await t.open(extension("() => 'first'", "() => new Promise(() => {})", "() => 1"));
    const outcomes = await members.runHooks("onToolCall", [event], { ...calm, eventMs: 200 });
    expect(short(outcomes)).toEqual(["first", "timeout timeout", "not_run"]);
    expect(t.seen.restarted.map(({ cause }) => cause)).toEqual([]);
    await t.until(() => t.seen.restarted.length === 1);
    expect(t.seen.restarted).toMatchObject([{ cause: "deadline" }]);
  });

  it("are called with the table as `this`", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      `class Hooks { word = "mine"; onTurnStart() { return this.word } }
       export default { name: "a", version: "1.0.0", hooks: () => new Hooks() }`,
    );
    expect(short(await members.runHooks("onTurnStart", [], calm))).toEqual(["mine"]);
  });
});
