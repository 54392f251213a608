import { describe, expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import type { ScriptedTurn } from "../../src/providers/index.ts";
import type { RuntimeOptions } from "../../src/runtime/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factOfType, factsOf, gate, probe, probeExtension, scriptedRuntime } from "../support/runtimes.ts";

/** `version type kind actor ← causation`, ids of sessions and calls shortened to letters in order of appearance. */
function rows(facts: readonly Fact[]): string[] {
  const letters = new Map<string, string>();
  return facts.slice(1).map(({ version, type, kind, actor, causation }) => {
    const short = actor
      .replace(/^sessions\/[^/]+\/tool_runner\/(.+)$/, (_all, id: string) => {
        if (!letters.has(id)) letters.set(id, String.fromCharCode(65 + letters.size));
        return `R${letters.get(id)}`;
      })
      .replace(/^sessions\/[^/]+$/, "S");
    return `${version} ${type} ${kind[0]} ${short} ← ${causation ?? "–"}`;
  });
}

async function sequence(
  turns: readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> = {},
): Promise<string[]> {
  const log = await memoryLog();
  const runtime = await scriptedRuntime(log, turns, options);
  const session = await runtime.sessions.start({ model: "s/m" });
  await session.prompt("go");
  const facts = await factsOf(log, `session-${session.id}`);
  const report = await runtime.replay.verify(session.id);
  expect(report.divergences).toEqual([]);
  await runtime.close();
  await log.close();
  return rows(facts);
}

describe("the facts of a run", () => {
  test("one plain bash call", async () => {
    const turns = [{ toolCalls: [{ name: "bash", args: { command: "true" } }] }, { text: "done" }];
    expect(await sequence(turns)).toEqual([
      "2 prompt.submitted i caller ← –",
      "3 agent.started d S ← 2",
      "4 turn.started d S ← 2",
      "5 model.requested d S ← 2",
      "6 model.responded i S ← 5",
      "7 tool_call.requested d S ← 6",
      "8 tool_call.started d RA ← 7",
      "9 tool_call.process_started i RA ← 8",
      "10 tool_call.returned i RA ← 8",
      "11 tool_call.completed d RA ← 10",
      "12 turn.ended d S ← 11",
      "13 turn.started d S ← 11",
      "14 model.requested d S ← 11",
      "15 model.responded i S ← 14",
      "16 turn.ended d S ← 15",
      "17 agent.ended d S ← 15",
    ]);
  });

  test("two parallel calls that end in the other order", async () => {
    const first = gate<string>();
    const second = gate<string>();
    const extension = probeExtension((name) => (name === "a" ? first.promise : second.promise), {
      parallelSafe: true,
    });
    const log = await memoryLog();
    const runtime = await scriptedRuntime(log, [probe("a", "b"), { text: "done" }], {
      extensions: [extension],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const stream = `session-${session.id}`;
    const ended = session.prompt("go");
    await factOfType(log, stream, "tool_call.started");
    second.open("second");
    await factOfType(log, stream, "tool_call.completed");
    first.open("first");
    await ended;
    expect(rows(await factsOf(log, stream)).slice(4)).toEqual([
      "6 model.responded i S ← 5",
      "7 tool_call.requested d S ← 6",
      "8 tool_call.requested d S ← 6",
      "9 tool_call.started d RA ← 7",
      "10 tool_call.started d RB ← 8",
      "11 tool_call.returned i RB ← 10",
      "12 tool_call.completed d RB ← 11",
      "13 tool_call.returned i RA ← 9",
      "14 tool_call.completed d RA ← 13",
      "15 turn.ended d S ← 14",
      "16 turn.started d S ← 14",
      "17 model.requested d S ← 14",
      "18 model.responded i S ← 17",
      "19 turn.ended d S ← 18",
      "20 agent.ended d S ← 18",
    ]);
    const { messages } = await runtime.replay.stateAt(session.id);
    const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "first" }],
      [{ type: "text", text: "second" }],
    ]);
    await runtime.close();
  });

  test("a call that the approval policy denies is blocked and starts nothing", async () => {
    const turns = [{ toolCalls: [{ name: "bash", args: { command: "touch made" } }] }, { text: "done" }];
    expect((await sequence(turns, { config: { runtime: { approval: "deny" } } })).slice(4, 8)).toEqual([
      "6 model.responded i S ← 5",
      "7 tool_call.requested d S ← 6",
      "8 tool_call.blocked d RA ← 7",
      "9 turn.ended d S ← 8",
    ]);
  });

  test("an approval that is denied blocks the call and starts nothing", async () => {
    const log = await memoryLog();
    const runtime = await scriptedRuntime(log, [probe("a"), { text: "done" }], {
      extensions: [probeExtension(() => Promise.reject(new Error("ran")))],
    });
    const session = await runtime.sessions.start({ model: "s/m", approval: "ask" });
    const stream = `session-${session.id}`;
    const ended = session.prompt("go");
    await factOfType(log, stream, "approval.requested");
    const [pending] = session.approvals.pending();
    expect(pending).toMatchObject({ tool: "probe", args: { name: "a" }, expiresAt: null });
    await session.approvals.resolve(pending?.id ?? "", "deny", "not today");
    await expect(session.approvals.resolve(pending?.id ?? "", "allow")).rejects.toMatchObject({
      code: "LEMON_NOT_FOUND",
    });
    await ended;
    expect(rows(await factsOf(log, stream)).slice(5, 10)).toEqual([
      "7 tool_call.requested d S ← 6",
      "8 approval.requested d RA ← 7",
      "9 approval.resolved i caller ← 8",
      "10 tool_call.blocked d RA ← 9",
      "11 turn.ended d S ← 10",
    ]);
    expect(session.approvals.pending()).toEqual([]);
    await runtime.close();
  });

  test("abort in a batch ends queued calls first, then running ones, in one commit", async () => {
    const log = await memoryLog();
    const extension = probeExtension(
      (_name, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    );
    const runtime = await scriptedRuntime(log, [probe("a", "b"), { text: "never" }], {
      extensions: [extension],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const stream = `session-${session.id}`;
    const ended = session.prompt("go");
    await factOfType(log, stream, "tool_call.started");
    expect(await session.abort("enough")).toEqual({ aborted: true });
    expect(await ended).toMatchObject({ status: "aborted", stopReason: "aborted", error: null });
    expect(rows(await factsOf(log, stream)).slice(5)).toEqual([
      "7 tool_call.requested d S ← 6",
      "8 tool_call.started d RA ← 7",
      "9 abort.requested i caller ← –",
      "10 tool_call.completed d S ← 9",
      "11 tool_call.completed d RA ← 9",
      "12 turn.ended d S ← 11",
      "13 agent.ended d S ← 11",
    ]);
    expect(await session.abort()).toEqual({ aborted: false });
    await runtime.close();
  });

  test("a steered message comes before the next request, a follow-up when the run would end", async () => {
    const log = await memoryLog();
    const open = gate<string>();
    const turns = [probe("a"), { text: "one" }, { text: "two" }];
    const runtime = await scriptedRuntime(log, turns, { extensions: [probeExtension(() => open.promise)] });
    const session = await runtime.sessions.start({ model: "s/m" });
    const stream = `session-${session.id}`;
    const ended = session.prompt("go");
    await factOfType(log, stream, "tool_call.started");
    await session.followUp("later");
    await session.steer("sooner");
    await expect(session.prompt("again")).rejects.toMatchObject({ code: "LEMON_ALREADY_STREAMING" });
    open.open("ok");
    expect(await ended).toMatchObject({ status: "completed", text: "two" });
    const { messages } = await runtime.replay.stateAt(session.id);
    const told = messages.map((message) => (message.role === "user" ? message.content : message.role));
    expect(told).toEqual([
      [{ type: "text", text: "go" }],
      "assistant",
      "tool",
      [{ type: "text", text: "sooner" }],
      "assistant",
      [{ type: "text", text: "later" }],
      "assistant",
    ]);
    await expect(session.steer("too late")).rejects.toMatchObject({ code: "LEMON_NOT_STREAMING" });
    await runtime.close();
  });

  test("a failed attempt is tried again after its recorded delay, a failure that cannot be helped ends the run", async () => {
    const turns = [{ error: { status: 429 } }, { text: "after all" }];
    const clock = immediateClock();
    expect((await sequence(turns, { clock })).slice(3)).toEqual([
      "5 model.requested d S ← 2",
      "6 model.failed i S ← 5",
      "7 model.retry_scheduled d S ← 6",
      "8 model.retry_due i S ← 7",
      "9 model.requested d S ← 8",
      "10 model.responded i S ← 9",
      "11 turn.ended d S ← 10",
      "12 agent.ended d S ← 10",
    ]);
    expect((await sequence([{ error: { status: 401 } }])).slice(3)).toEqual([
      "5 model.requested d S ← 2",
      "6 model.failed i S ← 5",
      "7 turn.ended d S ← 6",
      "8 agent.ended d S ← 6",
    ]);
  });
});

/** Time passes as soon as somebody waits for it. */
function immediateClock(): NonNullable<RuntimeOptions["clock"]> {
  let elapsed = 0;
  return {
    now: () => 1_700_000_000_000 + elapsed,
    monotonic: () => elapsed,
    setTimer: (delayMs, fire, background = false) => {
      if (background) return () => undefined;
      const timer = setImmediate(() => {
        elapsed += delayMs;
        fire();
      });
      return () => clearImmediate(timer);
    },
  };
}
