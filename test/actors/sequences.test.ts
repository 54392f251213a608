import { describe, expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import type { ScriptedTurn } from "../../src/providers/index.ts";
import type { RuntimeOptions } from "../../src/runtime/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factOfType, factsOf, gate, probe, probeExtension, scriptedRuntime } from "../support/runtimes.ts";

/** `version type kind actor ← causation`, ids of sessions and calls shortened to letters in order of appearance. The first two, by which a session starts, are left out. */
function rows(facts: readonly Fact[]): string[] {
  const letters = new Map<string, string>();
  return facts.slice(2).map(({ version, type, kind, actor, causation }) => {
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
      "3 prompt.submitted i caller ← –",
      "4 agent.started d S ← 3",
      "5 turn.started d S ← 3",
      "6 model.requested d S ← 3",
      "7 model.responded i S ← 6",
      "8 tool_call.requested d S ← 7",
      "9 tool_call.started d RA ← 8",
      "10 tool_call.process_started i RA ← 9",
      "11 tool_call.returned i RA ← 9",
      "12 tool_call.completed d RA ← 11",
      "13 turn.ended d S ← 12",
      "14 turn.started d S ← 12",
      "15 model.requested d S ← 12",
      "16 model.responded i S ← 15",
      "17 turn.ended d S ← 16",
      "18 agent.ended d S ← 16",
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
      "7 model.responded i S ← 6",
      "8 tool_call.requested d S ← 7",
      "9 tool_call.requested d S ← 7",
      "10 tool_call.started d RA ← 8",
      "11 tool_call.started d RB ← 9",
      "12 tool_call.returned i RB ← 11",
      "13 tool_call.completed d RB ← 12",
      "14 tool_call.returned i RA ← 10",
      "15 tool_call.completed d RA ← 14",
      "16 turn.ended d S ← 15",
      "17 turn.started d S ← 15",
      "18 model.requested d S ← 15",
      "19 model.responded i S ← 18",
      "20 turn.ended d S ← 19",
      "21 agent.ended d S ← 19",
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
      "7 model.responded i S ← 6",
      "8 tool_call.requested d S ← 7",
      "9 tool_call.blocked d RA ← 8",
      "10 turn.ended d S ← 9",
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
      "8 tool_call.requested d S ← 7",
      "9 approval.requested d RA ← 8",
      "10 approval.resolved i caller ← 9",
      "11 tool_call.blocked d RA ← 10",
      "12 turn.ended d S ← 11",
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
      "8 tool_call.requested d S ← 7",
      "9 tool_call.started d RA ← 8",
      "10 abort.requested i caller ← –",
      "11 tool_call.completed d S ← 10",
      "12 tool_call.completed d RA ← 10",
      "13 turn.ended d S ← 12",
      "14 agent.ended d S ← 12",
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
      "6 model.requested d S ← 3",
      "7 model.failed i S ← 6",
      "8 model.retry_scheduled d S ← 7",
      "9 model.retry_due i S ← 8",
      "10 model.requested d S ← 9",
      "11 model.responded i S ← 10",
      "12 turn.ended d S ← 11",
      "13 agent.ended d S ← 11",
    ]);
    expect((await sequence([{ error: { status: 401 } }])).slice(3)).toEqual([
      "6 model.requested d S ← 3",
      "7 model.failed i S ← 6",
      "8 turn.ended d S ← 7",
      "9 agent.ended d S ← 7",
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
