/**
 * The one shell: takes inputs in order, lets the actors decide, makes the facts durable, and only then shows them to
 * anybody and starts their effects. docs/reference/journaled-stream.md
 */
import { LemonError } from "../errors.ts";
import { callIdOf, catalogue, upcast, type Fact, type FactType } from "../events/index.ts";
import { FencedError, SessionBusyError, VersionConflictError, type EventLog } from "../log/index.ts";
import type { Logger } from "../ports.ts";
import type { LivePiece } from "../projections/index.ts";
import type { Child, ExitReason } from "../supervision/index.ts";
import type { Cascade, StreamActors } from "./cascade.ts";
import { EffectRunner, type EffectTable } from "./effect-runner.ts";
import { ActorCrashError, MailboxFullError, ReplayDivergedError, StreamClosedError } from "./errors.ts";
import type { Leadership } from "./leadership.ts";
import { loadStream, snapshotWriter } from "./load.ts";
import { Mailbox, type Envelope, type Input } from "./mailbox.ts";
import { recover } from "./recovery.ts";
import { SessionViews } from "./session-views.ts";
import { takeUnit, type Unit, type UnitParts } from "./unit.ts";

/** Facts between two stored states. */
const SNAPSHOT_EVERY = 500;
/** Inputs that may wait. */
const MAILBOX_LIMIT = 10_000;
/** Milliseconds between two tries of a stream whose log cannot be written. */
const SUSPENDED_RETRY_MS = 1_000;

/** What a stream is made of. */
export interface StreamParts extends UnitParts {
  readonly stream: string;
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly actors: StreamActors;
  /** The effects, given the stream whose views they read. */
  readonly effects: (stream: JournaledStream) => EffectTable;
  readonly logger: Logger;
}

/** What a subscriber sees, in order. */
export type StreamEvent = { readonly fact: Fact } | { readonly live: LivePiece };

/**
 * A stream that this process leads. It outlives its actors: mailbox, running effects and subscribers survive a
 * restart, which `start` is.
 */
export class JournaledStream {
  readonly name: string;
  readonly #parts: StreamParts;
  readonly #mailbox = new Mailbox();
  readonly #runner: EffectRunner;
  readonly #listeners = new Set<(event: StreamEvent) => void>();
  /** Open decisions, by version: what an outcome that cannot be taken is replaced by depends on them. */
  readonly #causes = new Map<number, Fact>();
  readonly #unmasked = new Map<number, unknown>();
  #views = new SessionViews();
  #version = 0;
  #storedVersion = 0;
  /** `null` while there are no actors to take an input. */
  #cascade: Cascade | null = null;
  #exit: ((reason: ExitReason) => void) | null = null;
  /** Why the log cannot be written at the moment. */
  #fault: LemonError | null = null;
  /** Set once for all: these machines cannot go on from this log. */
  #diverged: ReplayDivergedError | null = null;
  #cancelRetry: (() => void) | null = null;
  #pumping: Promise<void> | null = null;
  #loading = false;
  #ended = false;
  #lostTo: unknown = null;

  constructor(parts: StreamParts) {
    this.name = parts.stream;
    this.#parts = parts;
    this.#runner = new EffectRunner(parts.effects(this), {
      submit: async ({ type, data }, cause) =>
        this.#ended ? null : this.#enqueue({ type, data, actor: cause.actor, causation: cause.version }),
      live: (event) => this.#publish({ live: event }),
      unexpected: (error) => this.#report(error, "an outcome could not be recorded"),
    });
  }

  /** State and transcript as of the last durable fact. */
  get views(): SessionViews {
    return this.#views;
  }

  /** Version of the last durable fact. */
  get version(): number {
    return this.#version;
  }

  /** True once it takes no more inputs in this process, ever. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The `SessionBusyError` that names who leads it now, when the lead was lost for good; else `null`. */
  get lostTo(): unknown {
    return this.#lostTo;
  }

  /** The data of an input before its secrets were hidden, while calls that need it are open. */
  unmasked(version: number): unknown {
    return this.#unmasked.get(version) ?? null;
  }

  /** Sees every durable fact and live event from now on. @returns a function that ends it */
  subscribe(listener: (event: StreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends an input from a caller.
   *
   * @returns the recorded fact, once it is durable, the views have folded it and its effects have started
   * @throws LemonError when the session cannot take it now, or it cannot be recorded
   */
  async submit(type: FactType, data: unknown): Promise<Fact> {
    if (this.#diverged !== null) throw this.#diverged;
    if (this.#mailbox.length >= MAILBOX_LIMIT) throw new MailboxFullError(this.name, MAILBOX_LIMIT);
    const fact = await this.#enqueue({ type, data, actor: "caller", causation: null });
    if (fact === null) throw new LemonError("not_found", `${type}: nothing waits for ${callIdOf(data)}`);
    return fact;
  }

  /**
   * Builds the actors from the log, settles what was left open, and begins to take inputs.
   *
   * @throws SessionBusyError when another process leads the stream
   */
  async start(): Promise<Child> {
    await this.#parts.leadership.claim(this.name, this);
    let settle: (reason: ExitReason) => void = () => undefined;
    const exited = new Promise<ExitReason>((resolve) => (settle = resolve));
    this.#exit = settle;
    await this.#pumping;
    await this.#load();
    return {
      exited,
      shutdown: (reason) => void this.#stop(reason),
      kill: () => this.#leave({ kind: "killed" }),
    };
  }

  /**
   * Records the end of an open run that its actors cannot decide any more, since they keep crashing. They take it at
   * the next start.
   */
  async giveUp(): Promise<void> {
    const { run, usage } = this.#views.session;
    await this.#pumping;
    if (run === null) return;
    const data = {
      runId: run.runId,
      status: "failed",
      stopReason: "error",
      error: { class: "session_crashed", status: null },
      usage,
      turns: run.turn,
    };
    const fact = { type: "agent.ended", data, kind: "input" as const, actor: "recovery", causation: null };
    const { log, leadership, clock } = this.#parts;
    const [recorded] = await log.append(
      this.name,
      this.#version,
      [{ ...fact, correlation: run.runId, at: clock.now() }],
      { fence: leadership.lease },
    );
    if (recorded === undefined) return;
    this.#version = recorded.version;
    this.#views.fold(recorded);
    this.#publish({ fact: recorded });
  }

  /** Ends it in this process: effects are signalled, what waits is refused, the lead is given back. */
  async close(): Promise<void> {
    await this.#stop({ kind: "shutdown" });
  }

  /** The right to lead is gone: nothing may take effect any more under it. */
  loseLead(): void {
    this.#runner.abortAll("the lease was lost");
  }

  #enqueue(input: Input): Promise<Fact | null> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new StreamClosedError(this.name));
      this.#mailbox.push({ input, substitute: false, resolve, reject });
      if (this.#fault === null) this.#wake();
      else void this.#resume();
    });
  }

  #wake(): void {
    if (this.#pumping !== null || this.#cascade === null || this.#mailbox.length === 0) return;
    this.#pumping = this.#pump()
      .catch((error: unknown) => this.#leave({ kind: "crash", detail: error }))
      .finally(() => {
        this.#pumping = null;
        this.#wake();
      });
  }

  async #pump(): Promise<void> {
    // What one turn of the event loop brings is taken together.
    await Promise.resolve();
    while (this.#cascade !== null && this.#mailbox.length > 0) {
      const unit = takeUnit(this.#cascade, this.#mailbox, this.#parts);
      const recorded = await this.#record(unit);
      if (recorded === null) return;
      this.#show(unit, recorded);
      if (unit.crash !== null) this.#leave({ kind: "crash", detail: unit.crash.error });
    }
  }

  /** Makes a unit durable. @returns its facts, `null` when they could not be recorded and the pump has to stop */
  async #record(unit: Unit): Promise<readonly Fact[] | null> {
    if (unit.facts.length === 0) return [];
    const { log, leadership } = this.#parts;
    try {
      return await log.append(this.name, this.#version, unit.facts, { fence: leadership.lease });
    } catch (error) {
      await this.#notRecorded(unit, error);
      return null;
    }
  }

  /** The unit is durable: now the views, the subscribers, the effects and the senders may know. */
  #show(unit: Unit, recorded: readonly Fact[]): void {
    const before = this.#version;
    this.#version += recorded.length;
    for (const { verdict } of unit.verdicts) {
      if (verdict.kind === "taken" && verdict.unmasked !== null) this.#unmasked.set(verdict.version, verdict.unmasked);
    }
    for (const fact of recorded) this.#views.fold(fact);
    for (const fact of recorded) this.#publish({ fact });
    this.#startEffects(recorded);
    for (const { envelope, verdict } of unit.verdicts) {
      if (verdict.kind === "taken") envelope.resolve(recorded[verdict.version - before - 1] ?? null);
      else if (verdict.kind === "late") envelope.resolve(null);
      else if (verdict.kind === "refused") envelope.reject(verdict.error);
      else this.#replace(envelope, verdict.error);
    }
    if (unit.crash === null) this.#keepSnapshot(SNAPSHOT_EVERY);
  }

  #startEffects(recorded: readonly Fact[]): void {
    const slots = this.#cascade?.slots;
    if (slots === undefined) return;
    const open = new Set(slots.values());
    this.#runner.keepOnly(open, "settled by a decision");
    for (const version of this.#causes.keys()) if (!open.has(version)) this.#causes.delete(version);
    for (const fact of recorded) {
      if (fact.type === "model.responded" || fact.type === "agent.ended") this.#forgetUnmasked(fact.version);
      if (!open.has(fact.version)) continue;
      this.#causes.set(fact.version, fact);
      this.#runner.start(fact);
    }
  }

  #forgetUnmasked(before: number): void {
    for (const version of this.#unmasked.keys()) if (version < before) this.#unmasked.delete(version);
  }

  async #notRecorded(unit: Unit, error: unknown): Promise<void> {
    this.#cascade = null;
    this.#mailbox.unshift(unit.verdicts.map(({ envelope }) => envelope));
    if (error instanceof VersionConflictError) {
      this.#leave({ kind: "crash", detail: error });
    } else if (error instanceof FencedError || error instanceof SessionBusyError) {
      await this.#regainLead();
    } else if (error instanceof LemonError) {
      this.#suspend(error);
    } else {
      this.#leave({ kind: "crash", detail: error });
    }
  }

  /** The lease expired or changed hands: acquire again, or end where another leads by now. */
  async #regainLead(): Promise<void> {
    this.#runner.abortAll("the lease was lost");
    try {
      await this.#parts.leadership.regain(this.name, this);
    } catch (error) {
      this.#ended = true;
      this.#lostTo = error;
      for (const { reject } of this.#mailbox.drain()) reject(error);
      this.#leave({ kind: "shutdown", detail: "lease_lost" });
      return;
    }
    await this.#load();
  }

  /** The log cannot be written: callers are told, outcomes wait, and it is tried again every second. */
  #suspend(error: LemonError): void {
    this.#fault = error;
    this.#cascade = null;
    for (const { reject } of this.#mailbox.takeCallers()) reject(error);
    this.#cancelRetry?.();
    this.#cancelRetry = this.#parts.clock.setTimer(SUSPENDED_RETRY_MS, () => void this.#resume());
  }

  async #resume(): Promise<void> {
    if (this.#fault === null || this.#loading || this.#ended) return;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    const fault = this.#fault;
    try {
      await this.#pumping;
      await this.#load();
    } catch (error) {
      this.#suspend(error instanceof LemonError ? error : fault);
    }
  }

  async #load(): Promise<void> {
    const { log, actors } = this.#parts;
    this.#loading = true;
    try {
      const loaded = await loadStream(log, this.name, actors);
      this.#views = loaded.views;
      this.#version = loaded.version;
      this.#storedVersion = loaded.fromVersion;
      if (loaded.divergence !== null) {
        this.#diverged = new ReplayDivergedError(this.name, loaded.divergence.version);
        for (const { reject } of this.#mailbox.drain()) reject(this.#diverged);
        return;
      }
      const { outcomes, again } = await recover(log, this.name, loaded.cascade.slots, this.#runner, this.#mailbox);
      this.#mailbox.unshift(
        outcomes.map(({ outcome: { type, data }, cause }) => {
          this.#causes.set(cause.version, cause);
          const input: Input = { type, data, actor: "recovery", causation: cause.version };
          const reject = (error: unknown): void => this.#report(error, "recovery could not settle a call");
          return { input, substitute: true, resolve: () => undefined, reject };
        }),
      );
      this.#fault = null;
      this.#cascade = loaded.cascade;
      for (const cause of again) {
        this.#causes.set(cause.version, cause);
        this.#runner.start(cause);
      }
    } finally {
      this.#loading = false;
    }
    this.#wake();
  }

  /** An input that an actor crashed on, or that cannot be recorded: an outcome is replaced by the error of its slot. */
  #replace(envelope: Envelope, error: unknown): void {
    const { input, substitute } = envelope;
    const cause = input.causation === null ? undefined : this.#causes.get(input.causation);
    const effect = cause === undefined ? undefined : this.#runner.effectOf(cause.type);
    const settles = catalogue[input.type].belongsTo === undefined;
    if (cause === undefined || effect === undefined || substitute || !settles) {
      envelope.reject(error instanceof LemonError ? error : new ActorCrashError(this.name, input.type, error));
      return;
    }
    const { type, data } = effect.failed(cause as Parameters<typeof effect.failed>[0], error);
    this.#report(error, "an outcome was replaced by an error");
    this.#mailbox.unshift([{ ...envelope, input: { ...input, type, data }, substitute: true }]);
  }

  /** Ends this incarnation; the supervisor decides whether there is a next one. */
  #leave(reason: ExitReason): void {
    this.#cascade = null;
    const exit = this.#exit;
    this.#exit = null;
    exit?.(reason);
  }

  async #stop(reason: ExitReason): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelRetry?.();
    this.#runner.abortAll("the stream is closing");
    await this.#pumping;
    this.#keepSnapshot(SNAPSHOT_EVERY / 10);
    this.#cascade = null;
    for (const { reject } of this.#mailbox.drain()) reject(new StreamClosedError(this.name));
    await this.#runner.idle();
    await this.#parts.leadership.unclaim(this.name);
    this.#leave(reason);
  }

  #keepSnapshot(every: number): void {
    if (this.#cascade === null || this.#version - this.#storedVersion < every) return;
    this.#storedVersion = this.#version;
    const texts = this.#views.store().set("actors", JSON.stringify(this.#cascade.snapshot()));
    const version = this.#version;
    const saved = this.#parts.log.commit((work) => {
      for (const [name, text] of texts) {
        work.saveSnapshot({ stream: this.name, name, version, writer: snapshotWriter, text });
      }
    });
    saved.catch((error: unknown) => {
      this.#views.forgetStored();
      this.#report(error, "a stored state could not be written");
    });
  }

  #publish(event: StreamEvent): void {
    const seen = "fact" in event ? { fact: upcast(event.fact) } : event;
    for (const listener of this.#listeners) {
      try {
        listener(seen);
      } catch (error) {
        this.#report(error, "a subscriber threw");
      }
    }
  }

  #report(error: unknown, what: string): void {
    const reason = error instanceof LemonError ? error.code : error instanceof Error ? error.name : typeof error;
    this.#parts.logger.error({ stream: this.name, reason }, what);
  }
}
