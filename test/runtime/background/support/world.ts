/**
 * Processes that work on the runs of one log, with everything real but their sessions: those do what the test says. Each
 * process has clocks of its own, may freeze (what it asks of the log waits, and so do its timers), may stall (only the log
 * keeps it waiting) and may die.
 */
import { Leadership } from "../../../../src/actors/index.ts";
import { LemonError } from "../../../../src/errors.ts";
import { noUsage } from "../../../../src/events/index.ts";
import type { EventLog } from "../../../../src/log/index.ts";
import { silentLogger } from "../../../../src/ports.ts";
import { SessionNotFoundError } from "../../../../src/replay/index.ts";
import { Dispatcher } from "../../../../src/runtime/background/dispatcher.ts";
import { RunLog } from "../../../../src/runtime/background/run-log.ts";
import type { OwnedRunDeps } from "../../../../src/runtime/background/owned-run.ts";
import { createMasker } from "../../../../src/secrets/index.ts";
import { startDynamicSupervisor, type Supervisor } from "../../../../src/supervision/index.ts";
import { newFact } from "../../../log/support/facts.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

type Session = Awaited<ReturnType<OwnedRunDeps["sessions"]["start"]>>;
type Outcome = Awaited<ReturnType<Session["prompt"]>>;

/** A clock whose time of day may be set. */
export class SetClock extends ManualClock {
  offsetMs = 0;
  override now(): number {
    return super.now() + this.offsetMs;
  }
}

/** What is durable of a session. */
export interface DurableSession {
  prompts: number;
  outcome: Outcome | null;
  /** How often it was opened to be worked on. */
  opened: number;
}

/** How a session may end. */
export function outcome(
  text: string,
  status: Outcome["status"] = "completed",
  stopReason: Outcome["stopReason"] = "end_turn",
): Outcome {
  return { status, stopReason, text, error: null, usage: noUsage, version: 1 };
}

/** Lets everything that was begun come to rest: until the log was not asked for anything for a while. */
export async function rest(world: { readonly asked: number }): Promise<void> {
  for (let quiet = 0, seen = world.asked; quiet < 8; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (world.asked !== seen) [quiet, seen] = [0, world.asked];
  }
}

/** All that outlives processes. */
export class World {
  readonly handles: readonly [EventLog, ...EventLog[]];
  readonly sessions = new Map<string, DurableSession>();
  readonly processes: Process[] = [];
  readonly slots: number;
  asked = 0;

  /** @param handles - of one log, the processes share them in turn */
  constructor(handles: readonly [EventLog, ...EventLog[]], slots: number) {
    this.handles = handles;
    this.slots = slots;
  }

  get alive(): Process[] {
    return this.processes.filter(({ state }) => state !== "dead");
  }
}

/** One process. */
export class Process {
  readonly key: string;
  readonly world: World;
  readonly clock: SetClock;
  readonly log: EventLog;
  readonly dispatcher: Dispatcher;
  readonly leadership: Leadership;
  readonly supervisor: Supervisor;
  /** The sessions that are open here. */
  readonly open = new Map<string, OpenSession>();
  readonly #gate: Gate;

  private constructor(
    world: World,
    key: string,
    gate: Gate,
    parts: Pick<Process, "clock" | "log" | "leadership" | "supervisor">,
  ) {
    this.world = world;
    this.key = key;
    this.#gate = gate;
    this.clock = parts.clock;
    this.log = parts.log;
    this.leadership = parts.leadership;
    this.supervisor = parts.supervisor;
    const { clock, log, leadership } = parts;
    this.dispatcher = new Dispatcher({
      log,
      leadership,
      role: "worker",
      slots: world.slots,
      population: () => this.supervisor,
      worker: null,
      tidy: (id) => this.#tidy(id),
      owner: { pid: 1, host: key },
      runs: new RunLog({ log, clock, mask: createMasker([]) }),
      sessions: {
        isKnown: async (id) => {
          await log.info();
          return world.sessions.has(id);
        },
        start: (options) => this.#open(options?.sessionId ?? "", true),
        resume: (id) => this.#open(id, false),
      },
      promptOf: () => Promise.resolve("Do it"),
      clock,
      logger: silentLogger,
      onEnd: () => undefined,
    });
  }

  static async boot(world: World): Promise<Process> {
    const key = `process-${world.processes.length}`;
    const clock = new SetClock();
    const gate = new Gate();
    const log = gated(world, gate);
    // No name of a process that could be looked at: only time tells whether it is gone.
    const leadership = await Leadership.acquire(log, key, key, clock, silentLogger);
    const supervisor = await startDynamicSupervisor({}, { clock });
    const process = new Process(world, key, gate, { clock, log, leadership, supervisor });
    world.processes.push(process);
    await process.dispatcher.begin();
    return process;
  }

  get state(): "runs" | "stalled" | "frozen" | "dead" {
    return this.#gate.state;
  }

  advance(ms: number): void {
    if (this.state === "runs" || this.state === "stalled") this.clock.advance(ms);
  }

  freeze(): void {
    this.#gate.state = "frozen";
  }

  stall(): void {
    this.#gate.state = "stalled";
  }

  thaw(): void {
    this.#gate.thaw();
  }

  kill(): void {
    this.#gate.state = "dead";
  }

  async close(): Promise<void> {
    await this.dispatcher.close();
    await this.supervisor.shutdown();
    await this.leadership.close();
    this.#gate.state = "dead";
  }

  async #open(id: string, isNew: boolean): Promise<Session> {
    const session = new OpenSession(this, id);
    await this.leadership.claim(`session-${id}`, session);
    if (isNew)
      await session.effect(() => this.world.sessions.set(id, { prompts: 0, outcome: null, opened: 0 }));
    session.durable.opened += 1;
    this.open.set(id, session);
    // What a session is to a run is all that it gets here.
    return session as unknown as Session;
  }

  async #tidy(id: string): Promise<void> {
    if (!this.world.sessions.has(id)) throw new SessionNotFoundError(id);
    const session = new OpenSession(this, id);
    await this.leadership.claim(`session-${id}`, session);
    await session.shutdown();
  }
}

/** A session, led by a process. */
export class OpenSession {
  readonly process: Process;
  readonly id: string;
  readonly approvals = { resolve: (): Promise<void> => Promise.resolve() };
  #settle: { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: Error) => void } | null =
    null;

  constructor(process: Process, id: string) {
    this.process = process;
    this.id = id;
  }

  get durable(): DurableSession {
    const durable = this.process.world.sessions.get(this.id);
    if (durable === undefined) throw new Error(`session ${this.id} was never started`);
    return durable;
  }

  loseLead(): void {
    this.#settle?.reject(new LemonError("fenced", "the lease is gone"));
  }

  state(): { runId: string | null; outcome: Outcome | null } {
    const { prompts, outcome: ended } = this.durable;
    return { runId: prompts > 0 && ended === null ? "run_1" : null, outcome: ended };
  }

  /** Something that is only there when it is durable under the lease. */
  async effect(change: () => void): Promise<void> {
    const { log, leadership } = this.process;
    await log.append(`session-${this.id}`, "any", [newFact({})], { fence: leadership.lease });
    change();
  }

  outcome(): Promise<Outcome | null> {
    return this.#wait();
  }

  async prompt(): Promise<Outcome> {
    await this.effect(() => (this.durable.prompts += 1));
    return this.#wait();
  }

  /** The model ends, here. */
  async end(ended: Outcome): Promise<void> {
    if (this.#settle === null || this.durable.outcome !== null) return;
    try {
      await this.effect(() => (this.durable.outcome = ended));
      this.#settle?.resolve(ended);
    } catch (error) {
      this.#settle?.reject(error as Error);
    }
  }

  async shutdown(): Promise<void> {
    const { durable } = this;
    try {
      if (durable.prompts > 0 && durable.outcome === null)
        await this.effect(() => (durable.outcome = outcome("", "aborted", "aborted")));
    } finally {
      await this.release();
    }
  }

  async release(): Promise<void> {
    this.process.open.delete(this.id);
    this.#settle?.reject(new LemonError("fenced", "the session was given back"));
    await this.process.leadership.unclaim(`session-${this.id}`);
  }

  #wait(): Promise<Outcome> {
    return new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }
}

/** Whether what a process asks of its log is done, waits, or never comes back. */
class Gate {
  state: Process["state"] = "runs";
  #waiting: (() => void)[] = [];

  pass(): Promise<void> {
    if (this.state === "runs") return Promise.resolve();
    return new Promise((resolve) => {
      if (this.state !== "dead") this.#waiting.push(resolve);
    });
  }

  thaw(): void {
    if (this.state === "dead") return;
    this.state = "runs";
    for (const go of this.#waiting.splice(0)) go();
  }
}

/** The log, as a process sees it. */
function gated(world: World, gate: Gate): EventLog {
  const log = world.handles[world.processes.length % world.handles.length] ?? world.handles[0];
  return new Proxy(log, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        world.asked += 1;
        const call = (): unknown => Reflect.apply(member, target, args);
        if (name === "follow" || name === "cursorOf") return call();
        if (name === "read" || name === "readAll" || name === "readStored")
          return (async function* () {
            await gate.pass();
            yield* call() as AsyncIterable<unknown>;
          })();
        return gate
          .pass()
          .then(call)
          .then(
            async (value) => {
              world.asked += 1;
              await gate.pass();
              return value;
            },
            async (error: unknown) => {
              world.asked += 1;
              await gate.pass();
              throw error;
            },
          );
      };
    },
  });
}
