/** A session whose every effect is in the test's hand, and what may happen to it. */
import fc from "fast-check";
import { expect } from "vitest";
import { loadStream } from "../../src/actors/load.ts";
import { sessionViews } from "../../src/actors/session-views.ts";
import { sessionActors } from "../../src/actors/session/actors.ts";
import type { Fact, FactOf } from "../../src/events/index.ts";
import { historyOf, LogFullError, type EventLog } from "../../src/log/index.ts";
import { pendingCalls } from "../../src/projections/index.ts";
import { verifyReplay } from "../../src/replay/index.ts";
import { memoryLog, tampered, type Tampering } from "./log-doubles.ts";
import {
  answeredBy,
  compacted,
  compactionFailed,
  modelFailed,
  responded,
  returned,
  settled,
  startRig,
  touchyRunner,
  type StreamRig,
} from "./streams.ts";

/** A session that is killed, starved and poisoned, and what the world outside saw of it. */
export class Subject {
  readonly id: string;
  readonly log: EventLog;
  /** Versions that the log has confirmed. */
  durable = 0;
  readonly leaks: string[] = [];
  calls = 0;
  runs = 0;
  readonly #time: { now: number };
  readonly #stream: string;
  #process: { readonly rig: StreamRig; readonly tampering: Tampering } | null = null;
  #fullFor = 0;
  readonly #executed = new Set<string>();

  private constructor(id: string, log: EventLog, time: { now: number }) {
    this.id = id;
    this.log = log;
    this.#stream = `session-${id}`;
    this.#time = time;
  }

  static async start(): Promise<Subject> {
    const time = { now: 1_000_000 };
    const subject = new Subject("s", await memoryLog(() => time.now), time);
    await subject.begin();
    return subject;
  }

  /** The process of a fork of this session, which stands in the log. Calls and runs get other names in it. */
  async fork(id: string): Promise<Subject> {
    const fork = new Subject(id, this.log, this.#time);
    for await (const { version } of this.log.read(`session-${id}`)) fork.durable = version;
    await fork.begin();
    return fork;
  }

  get time(): number {
    return this.#time.now;
  }

  get rig(): StreamRig {
    if (this.#process === null) throw new Error("no process has begun");
    return this.#process.rig;
  }

  /** A new process takes the session up. */
  async begin(): Promise<void> {
    const tampering: Tampering = { beforeAppend: () => this.#beforeAppend() };
    const watched = this.#watchAppends(tampered(this.log, tampering));
    const rig = await startRig(watched, {
      sessionId: this.id,
      actors: touchyRunner(),
      onStart: (fact) => {
        if (fact.version > this.durable) this.leaks.push(`started ${fact.type} ${fact.version} early`);
        if (fact.type === "tool_call.started") this.execute(fact);
      },
    });
    this.#process = { rig, tampering };
    rig.stream.subscribe((event) => {
      if ("fact" in event && event.fact.version > this.durable)
        this.leaks.push(`saw ${event.fact.version} early`);
    });
    await this.settle();
  }

  async kill(): Promise<void> {
    if (this.#process !== null) this.#process.tampering.killed = true;
    this.#time.now += 60_000;
    await this.begin();
  }

  fillDisk(appends: number): void {
    this.#fullFor = appends;
  }

  async settle(): Promise<void> {
    await settled();
  }

  /** A side effect begins: twice is once too often, unless its tool allows it. */
  execute(fact: Fact): void {
    const { callId, idempotent } = (fact as FactOf<"tool_call.started">).data;
    if (this.#executed.has(callId) && !idempotent) this.leaks.push(`ran ${callId} again`);
    this.#executed.add(callId);
  }

  #beforeAppend(): void {
    if (this.#fullFor === 0) return;
    this.#fullFor -= 1;
    throw new LogFullError("work.db");
  }

  #watchAppends(log: EventLog): EventLog {
    const confirm = (facts: readonly Fact[]): void => {
      for (const { stream, version } of facts)
        if (stream === this.#stream) this.durable = Math.max(this.durable, version);
    };
    return new Proxy(log, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== "append" || typeof member !== "function") return member;
        return async (...args: unknown[]) => {
          const recorded = (await Reflect.apply(member, target, args)) as Fact[];
          confirm(recorded);
          return recorded;
        };
      },
    });
  }
}

export type Command = fc.AsyncCommand<object, Subject>;

/** A command that may always be tried: the session itself says what it can't take. */
function command(name: string, run: (subject: Subject) => Promise<void> | void): Command {
  return {
    check: () => true,
    run: async (_model, subject) => {
      await run(subject);
      await subject.settle();
      expect(subject.leaks).toEqual([]);
    },
    toString: () => name,
  };
}

/** What the session refuses is no failure of the test; what it answers wrongly shows in the end. */
function tolerated(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => expect((error as { code?: string }).code).toMatch(/^LEMON_/));
}

const text = (words: string): unknown => ({ content: [{ type: "text", text: words }] });

export const prompt = fc.constant(
  command("prompt", (subject) => {
    subject.runs += 1;
    tolerated(
      subject.rig.stream.submit("prompt.submitted", {
        runId: `run_${subject.id}_${subject.runs}`,
        ...(text("go") as object),
      }),
    );
  }),
);
export const steer = fc.constant(
  command("steer", ({ rig }) => tolerated(rig.stream.submit("steer.submitted", text("also")))),
);
export const followUp = fc.constant(
  command("followUp", ({ rig }) => tolerated(rig.stream.submit("follow_up.submitted", text("then")))),
);
export const abort = fc.constant(
  command("abort", ({ rig }) => tolerated(rig.stream.submit("abort.requested", { reason: "enough" }))),
);
export const answer = fc
  .record({
    calls: fc.integer({ min: 0, max: 3 }),
    parallelSafe: fc.boolean(),
    idempotent: fc.boolean(),
    approval: fc.constantFrom("auto" as const, "auto" as const, "ask" as const, "deny" as const),
    refused: fc.boolean(),
    hooks: fc.constantFrom(0, 0, 0, 1),
    resultHooks: fc.constantFrom(0, 0, 0, 1),
  })
  .map(({ calls, refused, ...traits }) =>
    command(`answer(${calls} calls ${JSON.stringify(traits)}${refused ? " refused" : ""})`, (subject) => {
      const request = subject.rig.effects.find(({ fact }) => fact.type === "model.requested");
      if (request === undefined) return;
      const ids = Array.from({ length: calls }, () => `call_${subject.id}_${(subject.calls += 1)}`);
      const refusal = refused ? { errorType: "unknown_tool", message: "Tool t not found", errors: [] } : null;
      request.finish(responded(ids, { ...traits, refusal }));
    }),
  );
export const failModel = fc.constantFrom(null, 1_000, 30_000).map((delayMs) =>
  command(`failModel(${delayMs})`, ({ rig }) => {
    rig.effects
      .find(({ fact }) => fact.type === "model.requested")
      ?.finish(modelFailed("overloaded", delayMs));
  }),
);
export const tooLong = fc.constantFrom("due", "refused").map((reason) =>
  command(`tooLong(${reason})`, ({ rig }) => {
    const request = rig.effects.find(({ fact }) => fact.type === "model.requested");
    if (request === undefined || !(request.fact as FactOf<"model.requested">).data.mayCompact) return;
    const overlength = { tokens: 10, window: 9 };
    request.finish(
      reason === "due"
        ? { type: "compaction.due", data: overlength }
        : modelFailed("context_too_long", null, overlength),
    );
  }),
);
export const finishCompaction = fc
  .record({ messages: fc.nat(40), how: fc.constantFrom("ok", "ok", "failed", "crash") })
  .map(({ messages, how }) =>
    command(`finishCompaction(${how}, ${messages} messages)`, ({ rig }) => {
      const effect = rig.effects.find(({ fact }) => fact.type === "compaction.requested");
      if (how === "crash") effect?.crash(new Error("the effect broke"));
      else effect?.finish(how === "ok" ? compacted(messages) : compactionFailed("overloaded"));
    }),
  );
export const finishTool = fc
  .record({ which: fc.nat(3), how: fc.constantFrom("ok", "ok", "error", "poison", "unrecordable", "crash") })
  .map(({ which, how }) =>
    command(`finishTool(${which}, ${how})`, ({ rig }) => {
      const running = rig.effects.filter(({ fact }) => fact.type === "tool_call.started");
      const effect = running[which % Math.max(running.length, 1)];
      if (effect === undefined) return;
      const { callId } = (effect.fact as FactOf<"tool_call.started">).data;
      if (how === "crash") effect.crash(new Error("the effect broke"));
      else if (how === "unrecordable") effect.finish(returned(callId, "x", { details: { bad: Number.NaN } }));
      else effect.finish(returned(callId, how, how === "error" ? { isError: true } : {}));
    }),
  );
export const answerHook = fc.boolean().map((blocks) =>
  command(`answerHook(${blocks ? "block" : "nothing"})`, ({ rig }) => {
    const effect = rig.effects.find(({ fact }) => fact.type === "hook.requested");
    effect?.finish(answeredBy((effect.fact as FactOf<"hook.requested">).data, blocks));
  }),
);
export const planMode = fc
  .constantFrom("plan_mode.entered" as const, "plan_mode.exited" as const)
  .map((type) => command(type, ({ rig }) => tolerated(rig.stream.submit(type, {}))));
export const writeTodos = fc.nat(3).map((count) =>
  command(`writeTodos(${count})`, ({ rig }) => {
    const todos = Array.from({ length: count }, (_, index) => ({
      id: `${index}`,
      content: "x",
      status: "pending",
      priority: "medium",
      dependencies: [],
      estimatedEffort: null,
      createdAt: "",
      updatedAt: "",
      completedAt: null,
      metadata: {},
    }));
    tolerated(rig.stream.submit("todos.written", { action: "put", todos, callId: null }));
  }),
);
export const resolveApproval = fc.constantFrom("allow", "deny").map((verdict) =>
  command(`resolve(${verdict})`, ({ rig }) => {
    const asking = pendingCalls(rig.stream.views.session).find(({ state }) => state === "asking");
    if (asking === undefined) return;
    tolerated(rig.stream.submit("approval.resolved", { callId: asking.callId, verdict, reason: null }));
    // Both answers of two people at once: the second finds the slot settled.
    tolerated(
      rig.stream.submit("approval.resolved", { callId: asking.callId, verdict: "allow", reason: null }),
    );
  }),
);
export const passTime = fc
  .constantFrom(1_000, 31_000)
  .map((ms) => command(`passTime(${ms})`, ({ rig }) => rig.clock.advance(ms)));
export const fillDisk = fc
  .integer({ min: 1, max: 3 })
  .map((appends) => command(`fillDisk(${appends} appends)`, (subject) => subject.fillDisk(appends)));
export const kill = fc.constant(command("kill and restart", (subject) => subject.kill()));
export const killMidAppend = fc.constant(
  command("kill during an append", async (subject) => {
    tolerated(subject.rig.stream.submit("steer.submitted", text("never heard")));
    await Promise.resolve();
    await subject.kill();
  }),
);

/** Lets everything that is open come to its end. */
export async function runToEnd(subject: Subject): Promise<void> {
  subject.fillDisk(0);
  for (let round = 0; round < 60; round += 1) {
    subject.rig.clock.advance(31_000);
    await subject.settle();
    for (const { callId, state } of pendingCalls(subject.rig.stream.views.session)) {
      if (state === "asking")
        tolerated(subject.rig.stream.submit("approval.resolved", { callId, verdict: "allow", reason: null }));
    }
    for (const effect of subject.rig.effects.slice()) {
      if (effect.fact.type === "model.requested") effect.finish(responded());
      else if (effect.fact.type === "compaction.requested") effect.finish(compacted(3));
      else if (effect.fact.type === "hook.requested")
        effect.finish(answeredBy((effect.fact as FactOf<"hook.requested">).data));
      else if (effect.fact.type === "tool_call.started") {
        effect.finish(returned((effect.fact as FactOf<"tool_call.started">).data.callId, "ok"));
      }
    }
    await subject.settle();
    if (subject.rig.stream.views.session.run === null && subject.rig.effects.length === 0) return;
  }
  expect.fail("the session did not come to its end");
}

/** What holds for every session that has come to its end, and for every fork. */
export async function checkInvariants(subject: Subject): Promise<void> {
  const stream = `session-${subject.id}`;
  const facts = await collect(historyOf(subject.log, stream));
  // One end for each call and each run.
  const calls = facts.flatMap((fact) =>
    fact.type === "model.responded" ? (fact as FactOf<"model.responded">).data.calls : [],
  );
  const ends = facts.filter(({ type }) => /^tool_call\.(completed|blocked|interrupted)$/.test(type));
  const endedIds = ends.map(({ data }) => (data as { callId: string }).callId).sort();
  expect(endedIds).toEqual(calls.map(({ callId }) => callId).sort());
  const count = (type: string): number => facts.filter((fact) => fact.type === type).length;
  expect(count("agent.ended")).toBe(count("prompt.submitted"));
  // One compaction a turn at most, and each has one end; one that was lost is asked for again.
  const turns = facts
    .map(({ type }) => type)
    .join(" ")
    .split("turn.started");
  for (const turn of turns) {
    const asked = turn.split(" compaction.requested").length - 1;
    const lost = turn.split(" compaction.lost").length - 1;
    const ended = turn.split(/ (?:session\.compacted|compaction\.failed)/).length - 1;
    expect(asked - lost).toBeLessThanOrEqual(1);
    expect(ended).toBeLessThanOrEqual(asked - lost);
    if (!turn.includes("model.cancelled")) expect(ended).toBe(asked - lost);
  }
  // Another process with another clock decides the same.
  const report = await verifyReplay(subject.log, subject.id);
  expect(report).toMatchObject({ facts: facts.length, divergences: [] });
  // Views and stored states are disposable.
  const actors = sessionActors(subject.id);
  const replayed = await loadStream(subject.log, stream, actors, sessionViews, { snapshots: false });
  const resumed = await loadStream(subject.log, stream, actors, sessionViews);
  expect(replayed.divergence).toBeNull();
  expect(resumed.cascade.snapshot()).toEqual(replayed.cascade.snapshot());
  expect(resumed.views.session).toEqual(replayed.views.session);
  expect(subject.rig.stream.views.session).toEqual(replayed.views.session);
  for await (const finding of subject.log.verify()) expect.fail(finding.message);
}

/** All of them. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
