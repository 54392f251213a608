import { createMachine } from "xstate";
import { describe, expect, test } from "vitest";
import { LogFullError, SessionBusyError, VersionConflictError } from "../../src/log/index.ts";
import { Cascade, type StreamActors } from "../../src/actors/cascade.ts";
import { loadStream } from "../../src/actors/load.ts";
import { snapshotWriter } from "../../src/actors/stored.ts";
import { sessionViews } from "../../src/actors/session-views.ts";
import { sessionActors } from "../../src/actors/session/actors.ts";
import { sessionMachine } from "../../src/actors/session/machine.ts";
import type { Fact } from "../../src/events/index.ts";
import { memoryLog, tampered, type Tampering } from "../support/log-doubles.ts";
import { factsOf } from "../support/runtimes.ts";
import { responded, returned, settled, startRig, touchyRunner, type StreamRig } from "../support/streams.ts";

const prompt = { runId: "run_1", content: [{ type: "text", text: "go" }] };

function typesOf(facts: readonly Fact[]): string[] {
  return facts.map(({ type }) => type);
}

/** A session that cannot take the end of a call, however it came about. */
function brokenRoot(): Pick<StreamActors, "root"> {
  const { running, ...states } = sessionMachine.config.states as Record<string, { on: object }>;
  const fail = { actions: () => expect.fail("cannot take this") };
  const on = { ...running?.on, "tool_call.completed": fail, "tool_call.interrupted": fail };
  return {
    root: createMachine({
      ...sessionMachine.config,
      states: { ...states, running: { ...running, on } },
    } as never),
  };
}

/** A prompt, answered by two parallel calls that are running. */
async function twoCalls(rig: StreamRig): Promise<void> {
  await rig.stream.submit("prompt.submitted", prompt);
  rig.effects[0]?.finish(responded(["a", "b"]));
  await settled();
  expect(rig.effects.map(({ fact }) => fact.type)).toEqual(["tool_call.started", "tool_call.started"]);
}

describe("an actor that throws", () => {
  test("the poison is not recorded, its slot gets an error result, the other call and its effect are untouched", async () => {
    const log = await memoryLog();
    const rig = await startRig(log, { actors: touchyRunner() });
    await twoCalls(rig);
    const [a, b] = rig.effects;
    a?.finish(returned("a", "poison"));
    await settled();
    expect(rig.effects).toEqual([b]);
    expect(b?.signal.aborted).toBe(false);
    b?.finish(returned("b", "fine"));
    await settled();
    const facts = await factsOf(log, "session-s");
    const results = facts.filter(({ type }) => type === "tool_call.returned");
    expect(results.map(({ data }) => data)).toMatchObject([
      { callId: "a", isError: true, errorType: "internal" },
      { callId: "b", isError: false },
    ]);
    expect(JSON.stringify(facts)).not.toContain('poison"');
    expect(typesOf(facts).filter((type) => type === "tool_call.completed")).toHaveLength(2);
    expect(rig.effects.map(({ fact }) => fact.type)).toEqual(["model.requested"]);
  });

  test("inputs that waited behind the poison are taken after the restart", async () => {
    const log = await memoryLog();
    const rig = await startRig(log, { actors: touchyRunner() });
    await twoCalls(rig);
    const [a, b] = [...rig.effects];
    a?.finish(returned("a", "poison"));
    b?.finish(returned("b", "fine"));
    await rig.stream.submit("steer.submitted", { content: [{ type: "text", text: "and this" }] });
    await settled();
    const types = typesOf(await factsOf(log, "session-s"));
    expect(types.filter((type) => type === "tool_call.completed")).toHaveLength(2);
    expect(types.filter((type) => type === "message.appended")).toHaveLength(1);
    expect(types.at(-1)).toBe("model.requested");
  });

  test("a session whose actors always crash is given up after three restarts within five seconds, its log whole", async () => {
    const log = await memoryLog();
    const rig = await startRig(log, { actors: brokenRoot() });
    await twoCalls(rig);
    rig.effects[0]?.finish(returned("a", "whatever"));
    await settled();
    expect(await rig.supervisor.exited).toMatchObject({ kind: "shutdown" });
    await rig.stream.giveUp();
    const facts = await factsOf(log, "session-s");
    expect(facts.at(-1)).toMatchObject({
      type: "agent.ended",
      kind: "input",
      actor: "recovery",
      data: { status: "failed" },
    });
    expect(rig.stream.views.session.outcome).toMatchObject({
      status: "failed",
      error: { class: "session_crashed" },
    });
  });
});

describe("an append that is refused", () => {
  test("a conflict restarts the actors from the log, and the input meets the reloaded ones", async () => {
    const log = await memoryLog();
    const tampering: Tampering = {};
    const rig = await startRig(tampered(log, tampering));
    let conflicts = 0;
    tampering.beforeAppend = () => {
      conflicts += 1;
      if (conflicts === 1) throw new VersionConflictError("session-s", 1, 2);
    };
    const recorded = await rig.stream.submit("prompt.submitted", prompt);
    expect(recorded.version).toBe(2);
    expect(rig.supervisor.tree().children[0]).toMatchObject({ restarts: 1 });
  });

  test("a full disk suspends the stream: callers are told, outcomes wait, and it goes on by itself", async () => {
    const log = await memoryLog();
    const tampering: Tampering = {};
    const rig = await startRig(tampered(log, tampering));
    await rig.stream.submit("prompt.submitted", prompt);
    let isFull = true;
    let tries = 0;
    tampering.beforeAppend = () => {
      tries += 1;
      if (isFull) throw new LogFullError("work.db");
    };
    rig.effects[0]?.finish(responded());
    await settled();
    await expect(rig.stream.submit("steer.submitted", { content: [] })).rejects.toMatchObject({
      code: "LEMON_LOG_FULL",
    });
    expect(rig.stream.views.session.status).toBe("running");
    const before = tries;
    rig.clock.advance(1_000);
    await settled();
    expect(tries).toBe(before + 1);
    isFull = false;
    rig.clock.advance(1_000);
    await settled();
    expect(rig.stream.views.session.outcome).toMatchObject({ status: "completed", text: "said" });
    expect(rig.supervisor.tree().children[0]).toMatchObject({ restarts: 0 });
  });
});

describe("a lease that is lost", () => {
  test("its effects are aborted, the lease acquired again, and the stream reloaded when nobody took it", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const rig = await startRig(log);
    await rig.stream.submit("prompt.submitted", prompt);
    const [request] = rig.effects;
    now += 60_000;
    await rig.stream.submit("steer.submitted", { content: [{ type: "text", text: "still there?" }] });
    expect(request?.signal.aborted).toBe(true);
    request?.finish({ type: "model.lost", data: {} });
    await settled();
    expect(rig.effects.map(({ fact }) => fact.type)).toEqual(["model.requested"]);
    rig.effects[0]?.finish(responded());
    await settled();
    expect(typesOf(await factsOf(log, "session-s")).slice(1, 8)).toEqual([
      "prompt.submitted",
      "agent.started",
      "turn.started",
      "model.requested",
      "steer.submitted",
      "model.lost",
      "model.requested",
    ]);
  });

  test("where another leads by now every sender is told who, and the stream ends without a restart", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const first = await startRig(log);
    await first.stream.submit("prompt.submitted", prompt);
    await expect(startRig(log)).rejects.toMatchObject({ cause: expect.any(SessionBusyError) });
    now += 60_000;
    const second = await startRig(log, { owner: "the second" });
    const refused = first.stream.submit("steer.submitted", { content: [{ type: "text", text: "mine?" }] });
    await expect(refused).rejects.toThrow(SessionBusyError);
    await expect(refused).rejects.toThrow(/the second/);
    expect(await first.supervisor.exited).toMatchObject({ kind: "shutdown" });
    expect(second.stream.views.session.status).toBe("running");
  });

  test("a heartbeat that has not succeeded for two thirds of the time to live aborts the effects before it expires", async () => {
    const log = await memoryLog();
    const tampering: Tampering = {};
    const rig = await startRig(tampered(log, tampering));
    await rig.stream.submit("prompt.submitted", prompt);
    const renewals = Object.assign(rig.leadership, {});
    expect(renewals.lease.fence).toBeGreaterThan(0);
    await log.release(rig.leadership.lease);
    rig.clock.advance(6_666);
    await settled();
    expect(rig.effects[0]?.signal.aborted).toBe(false);
    rig.clock.advance(1);
    await settled();
    expect(rig.effects[0]?.signal.aborted).toBe(true);
  });

  test("a heartbeat that never comes back is not waited for", async () => {
    const log = await memoryLog();
    const tampering: Tampering = {};
    const rig = await startRig(tampered(log, tampering));
    await rig.stream.submit("prompt.submitted", prompt);
    rig.clock.advance(2_000);
    await settled(); // renewed
    tampering.killed = true;
    rig.clock.advance(6_666);
    await settled();
    expect(rig.effects[0]?.signal.aborted).toBe(false);
    rig.clock.advance(1);
    expect(rig.effects[0]?.signal.aborted).toBe(true);
  });

  test("every two seconds the lease is given its ten seconds again", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const rig = await startRig(log);
    await rig.stream.submit("prompt.submitted", prompt);
    expect(rig.leadership.lease.expiresAt).toBe(now + 10_000);
    for (let beat = 0; beat < 10; beat += 1) {
      now += 2_000;
      rig.clock.advance(2_000);
      await settled();
      expect(await log.holderOf(rig.leadership.key)).toMatchObject({ expiresAt: now + 10_000 });
    }
    expect(rig.effects[0]?.signal.aborted).toBe(false);
  });
});

describe("a restart of the process", () => {
  test("what was open is settled by its kind before anything else is taken", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const tampering: Tampering = {};
    const first = await startRig(tampered(log, tampering));
    await twoCalls(first);
    tampering.killed = true;
    now += 60_000;
    const second = await startRig(log);
    await settled();
    const facts = await factsOf(log, "session-s");
    expect(facts.slice(-5).map(({ type, actor, causation }) => [type, actor, causation])).toEqual([
      ["tool_call.interrupted", "recovery", 9],
      ["tool_call.interrupted", "recovery", 10],
      ["turn.ended", "sessions/s", 12],
      ["turn.started", "sessions/s", 12],
      ["model.requested", "sessions/s", 12],
    ]);
    expect(second.effects.map(({ fact }) => fact.type)).toEqual(["model.requested"]);
  });

  test("an idempotent call is simply run again", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const tampering: Tampering = {};
    const first = await startRig(tampered(log, tampering));
    await first.stream.submit("prompt.submitted", prompt);
    first.effects[0]?.finish(responded(["a"], { idempotent: true }));
    await settled();
    tampering.killed = true;
    now += 60_000;
    const second = await startRig(log);
    await settled();
    expect(second.effects.map(({ fact }) => fact.type)).toEqual(["tool_call.started"]);
  });
});

describe("intake", () => {
  test("an outcome that comes after its slot was settled is dropped and not recorded", async () => {
    const log = await memoryLog();
    const rig = await startRig(log);
    await rig.stream.submit("prompt.submitted", prompt);
    const [request] = rig.effects;
    await rig.stream.submit("abort.requested", { reason: "enough" });
    expect(request?.signal.aborted).toBe(true);
    const before = rig.stream.version;
    request?.finish(responded());
    await settled();
    expect(rig.stream.version).toBe(before);
  });

  test("an outcome that cannot be recorded becomes the error of its slot, and no restart is counted", async () => {
    const log = await memoryLog();
    const rig = await startRig(log);
    await twoCalls(rig);
    rig.effects[0]?.finish(returned("a", "x", { details: { bad: Number.NaN } }));
    await settled();
    const facts = await factsOf(log, "session-s");
    expect(facts.findLast(({ type }) => type === "tool_call.returned")?.data).toMatchObject({
      callId: "a",
      isError: true,
    });
    expect(rig.supervisor.tree().children[0]).toMatchObject({ restarts: 0 });
  });

  test("an effect that is started and aborted in one unit never runs", async () => {
    const log = await memoryLog();
    const rig = await startRig(log);
    const submitted = rig.stream.submit("prompt.submitted", prompt);
    const aborted = rig.stream.submit("abort.requested", { reason: "at once" });
    await Promise.all([submitted, aborted]);
    expect(rig.started).toBe(0);
  });

  test("an effect that has answered is not signalled when its slot is settled", async () => {
    const log = await memoryLog();
    const rig = await startRig(log);
    await rig.stream.submit("prompt.submitted", prompt);
    const [request] = rig.effects;
    request?.finish(responded());
    await settled();
    expect(request?.signal.aborted).toBe(false);
  });

  test("secrets are hidden before the fact is recorded; the real data stays in memory while its calls are open", async () => {
    const log = await memoryLog();
    const rig = await startRig(log, { secrets: [{ name: "KEY", value: "sk-very-secret" }] });
    await rig.stream.submit("prompt.submitted", prompt);
    rig.effects[0]?.finish(responded(["a"], { args: { token: "sk-very-secret" }, masked: true }));
    await settled();
    expect(JSON.stringify(await factsOf(log, "session-s"))).not.toContain("sk-very-secret");
    const answeredAt = rig.stream.views.session.calls["a"]?.answeredAt ?? 0;
    expect(rig.stream.unmasked(answeredAt)).toMatchObject({ calls: [{ args: { token: "sk-very-secret" } }] });
    rig.effects[0]?.finish(returned("a", "ok"));
    await settled();
    rig.effects[0]?.finish(responded());
    await settled();
    expect(rig.stream.unmasked(answeredAt)).toBeNull();
  });
});

describe("a stored state", () => {
  const snapshot = { stream: "session-s", name: "actors", version: 1, writer: snapshotWriter(sessionViews) };

  test("of another history is passed over, and the stream is folded anew", async () => {
    const log = await memoryLog();
    const first = await startRig(log);
    await first.stream.submit("prompt.submitted", prompt);
    const foreign = { factHash: "f".repeat(64), cascade: new Cascade(sessionActors("s")).snapshot() };
    const text = JSON.stringify({ ...foreign, cascade: { ...foreign.cascade, version: 900 } });
    await log.commit((work) => work.saveSnapshot({ ...snapshot, version: 900, text }));
    const loaded = await loadStream(log, "session-s", sessionActors("s"), sessionViews);
    expect(loaded).toMatchObject({ fromVersion: 0, version: first.stream.version, divergence: null });
  });

  test("of this history is used, and gives what folding anew gives", async () => {
    const log = await memoryLog();
    const rig = await startRig(log);
    await rig.stream.submit("prompt.submitted", prompt);
    for (let count = 0; count < 520; count += 1) {
      await rig.stream.submit("steer.submitted", { content: [{ type: "text", text: `message ${count}` }] });
    }
    await settled();
    const stored = await loadStream(log, "session-s", sessionActors("s"), sessionViews);
    expect(stored.fromVersion).toBeGreaterThan(0);
    const anew = await loadStream(log, "session-s", sessionActors("s"), sessionViews, { snapshots: false });
    expect(stored.cascade.snapshot()).toEqual(anew.cascade.snapshot());
    expect(stored.hash).toBe(anew.hash);
  });
});
