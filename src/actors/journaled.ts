/**
 * The one shell of a stream that this process leads: its mailbox, its running effects, its subscribers, and one
 * incarnation of its actors after the other. docs/reference/journaled-stream.md
 */
import { LemonError } from "../errors.ts";
import { callIdOf, type Fact, type FactType, type NewFact } from "../events/index.ts";
import { FencedError, SessionBusyError, VersionConflictError, type EventLog } from "../log/index.ts";
import type { Logger } from "../ports.ts";
import type { Child, ExitReason } from "../supervision/index.ts";
import type { StreamActors } from "./cascade.ts";
import { EffectRunner, type EffectTable } from "./effect-runner.ts";
import { asLemonError, MailboxFullError, ReplayDivergedError, StreamClosedError } from "./errors.ts";
import { Incarnation, type LifeEnd, type Surroundings } from "./incarnation.ts";
import type { Leadership } from "./leadership.ts";
import { loadStream } from "./load.ts";
import { snapshotWriter } from "./stored.ts";
import { Mailbox, type Input } from "./mailbox.ts";
import { OpenDecisions } from "./open-decisions.ts";
import { envelopeOf, recover } from "./recovery.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";
import type { StreamViews, ViewsKind } from "./stream-views.ts";
import { Subscribers, type StreamEvent } from "./subscribers.ts";
import type { UnitParts } from "./unit.ts";
import { Unmasked } from "./unmasked.ts";

/** Inputs that may wait. */
const MAILBOX_LIMIT = 10_000;
/** Milliseconds between two tries of a stream whose log cannot be written. */
const SUSPENDED_RETRY_MS = 1_000;
/** Milliseconds that effects get to end once they are signalled at the close: a command needs a few for its group. */
const CLOSING_MS = 4_000;

/** What a stream is made of. */
export interface StreamParts<Views extends StreamViews> extends UnitParts {
  readonly stream: string;
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly actors: StreamActors;
  /** The effects, given the stream whose views they read. */
  readonly effects: (stream: JournaledStream<Views>) => EffectTable;
  readonly views: ViewsKind<Views>;
  /** What has to be recorded when its actors keep crashing and cannot decide it any more; `null` for nothing. */
  readonly lastWords: (views: Views, at: number) => NewFact | null;
  readonly logger: Logger;
}

/** A stream that this process leads. It outlives its actors; `start` begins each of their lives. */
export class JournaledStream<Views extends StreamViews = StreamViews> {
  readonly name: string;
  /** What is open in it waits for `goOn`; it takes inputs all the same. Set before `start`. */
  isHeld = false;
  readonly #parts: StreamParts<Views>;
  readonly #around: Surroundings;
  #life: Incarnation<Views> | null = null;
  #exit: ((reason: ExitReason) => void) | null = null;
  /** Why the log cannot be written at the moment. */
  #fault: LemonError | null = null;
  #cancelRetry: (() => void) | null = null;
  #loading: Promise<void> | null = null;
  /** Why it takes no more inputs in this process, ever. */
  #closed: LemonError | null = null;

  constructor(parts: StreamParts<Views>) {
    const { stream: name, log, leadership } = parts;
    const report = (error: unknown, what: string): void => this.#report(error, what);
    this.name = name;
    this.#parts = parts;
    this.#around = {
      name,
      log,
      lease: () => leadership.lease,
      unit: parts,
      mailbox: new Mailbox(),
      runner: new EffectRunner(parts.effects(this), {
        submit: async ({ type, data }, { actor, version }) =>
          this.#closed === null ? this.#enqueue({ type, data, actor, causation: version }) : null,
        live: (live) => this.#around.subscribers.publish({ live }),
        unexpected: (error) => report(error, "an outcome could not be recorded"),
      }),
      open: new OpenDecisions(),
      unmasked: new Unmasked(),
      subscribers: new Subscribers(report),
      snapshots: new SnapshotKeeper(log, name, snapshotWriter(parts.views), report),
      report,
    };
  }

  /** What the stream adds up to, as of the last durable fact. */
  get views(): Views {
    return this.#life?.views ?? this.#parts.views.create();
  }

  /** Version of the last durable fact. */
  get version(): number {
    return this.#life?.version ?? 0;
  }

  /**
   * Why it takes no more inputs: it was closed, another process leads it (`SessionBusyError`), or these machines
   * cannot go on from its log (`ReplayDivergedError`). `null` while it takes them.
   */
  get closed(): LemonError | null {
    return this.#closed;
  }

  /** The data of an input before its secrets were hidden, while calls that need it are open; else `null`. */
  unmasked(version: number): unknown {
    return this.#around.unmasked.get(version);
  }

  /** Sees every durable fact and live piece from now on. @returns a function that ends it */
  subscribe(listener: (event: StreamEvent) => void): () => void {
    return this.#around.subscribers.add(listener);
  }

  /**
   * Sends an input from a caller.
   *
   * @returns the recorded fact, once it is durable, the views have folded it and its effects have started
   * @throws LemonError when the session cannot take it now, or it cannot be recorded
   */
  async submit(type: FactType, data: unknown): Promise<Fact> {
    if (this.#around.mailbox.length >= MAILBOX_LIMIT) throw new MailboxFullError(this.name, MAILBOX_LIMIT);
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
    const exited = new Promise<ExitReason>((resolve) => (this.#exit = resolve));
    await this.#load();
    const { mailbox } = this.#around;
    return {
      exited,
      shutdown: () => this.close(),
      kill: () => this.#leave({ kind: "killed" }),
      get mailboxLength() {
        return mailbox.length;
      },
    };
  }

  /** What was left open is settled now, as at a start. */
  async goOn(): Promise<void> {
    this.isHeld = false;
    await this.#load();
  }

  /**
   * Records what its actors cannot decide any more, since they keep crashing, such as the end of an open run. They
   * take it at the next start.
   */
  async giveUp(): Promise<void> {
    const life = this.#life;
    if (life === null) return;
    await life.stop();
    const { log, leadership, clock } = this.#parts;
    const end = this.#parts.lastWords(life.views, clock.now());
    if (end === null) return;
    for (const fact of await log.append(this.name, life.version, [end], { fence: leadership.lease }))
      life.take(fact);
  }

  /** Ends it in this process: effects are signalled, waiting inputs refused, the lead given back. */
  async close(): Promise<void> {
    if (this.#closed instanceof StreamClosedError) return;
    const { runner, mailbox, report } = this.#around;
    this.#closed = new StreamClosedError(this.name);
    this.#cancelRetry?.();
    runner.abortAll("the stream is closing");
    try {
      await this.#life?.stop();
      for (const { reject } of mailbox.drain()) reject(this.#closed);
      await runner.idle(this.#parts.clock, CLOSING_MS);
      await this.#parts.leadership.unclaim(this.name);
    } catch (error) {
      report(error, "the lead of a stream could not be given back");
    } finally {
      this.#leave({ kind: "shutdown" });
    }
  }

  /** The right to lead is gone: nothing may take effect any more under it. */
  loseLead(): void {
    this.#around.runner.abortAll("the lease was lost");
  }

  #enqueue(input: Input): Promise<Fact | null> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== null) return reject(this.#closed);
      this.#around.mailbox.push({ input, substitute: false, resolve, reject });
      if (this.#fault === null) this.#life?.wake();
      else void this.#tryAgain();
    });
  }

  #lifeEnded({ kind, error }: LifeEnd): void {
    if (kind === "crashed" || error instanceof VersionConflictError || !(error instanceof LemonError)) {
      // The supervisor decides whether there is a next life.
      this.#leave({ kind: "crash", detail: error });
    } else if (error instanceof FencedError || error instanceof SessionBusyError) {
      void this.#regainLead();
    } else {
      this.#suspend(error);
    }
  }

  /** The lease expired or changed hands: acquire again, or end where another leads by now. */
  async #regainLead(): Promise<void> {
    this.#around.runner.abortAll("the lease was lost");
    try {
      await this.#parts.leadership.regain(this.name, this);
      await this.#load();
    } catch (error) {
      if (!(error instanceof SessionBusyError)) return this.#suspend(asLemonError(error));
      this.#refuseFrom(error);
      this.#leave({ kind: "shutdown", detail: "lease_lost" });
    }
  }

  /** The log cannot be written: callers are told, outcomes wait, and it is tried again every second. */
  #suspend(error: LemonError): void {
    if (this.#fault === null) {
      const waits = "it waits, and goes on by itself when its log can be written again";
      this.#parts.logger.warn({ stream: this.name, code: error.code }, `${error.message}: ${waits}`);
    }
    this.#fault = error;
    for (const { reject } of this.#around.mailbox.takeCallers()) reject(error);
    this.#cancelRetry?.();
    this.#cancelRetry = this.#parts.clock.setTimer(SUSPENDED_RETRY_MS, () => void this.#tryAgain());
  }

  async #tryAgain(): Promise<void> {
    if (this.#fault === null || this.#loading !== null || this.#closed !== null) return;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    try {
      await this.#load();
    } catch (error) {
      this.#suspend(asLemonError(error));
    }
  }

  #load(): Promise<void> {
    this.#loading ??= this.#begin().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Begins the next life, from what the log holds. */
  async #begin(): Promise<void> {
    const { log, actors, views } = this.#parts;
    const { snapshots, runner, mailbox, open, report } = this.#around;
    // What the last one had in flight has to be in the log, or refused, before it is read.
    await this.#life?.stop();
    const loaded = await loadStream(log, this.name, actors, views);
    snapshots.loaded(loaded.fromVersion);
    const life = new Incarnation(loaded, this.#around, (end) => this.#lifeEnded(end));
    this.#life = life;
    if (loaded.divergence !== null) {
      this.#refuseFrom(new ReplayDivergedError(this.name, loaded.divergence.version));
      return;
    }
    const settling = this.isHeld ? new Map<string, number>() : loaded.cascade.slots;
    const { outcomes, again } = await recover(log, this.name, settling, runner, mailbox);
    const reject = (error: unknown): void => report(error, "recovery could not settle a call");
    for (const { cause } of outcomes) open.add(cause);
    mailbox.unshift(outcomes.map((settled) => envelopeOf(settled, reject)));
    this.#fault = null;
    for (const cause of again) {
      open.add(cause);
      runner.start(cause);
    }
    life.begin();
  }

  /** From now on every input, waiting or to come, is refused with this. */
  #refuseFrom(error: LemonError): void {
    this.#closed = error;
    for (const { reject } of this.#around.mailbox.drain()) reject(error);
  }

  #leave(reason: ExitReason): void {
    const exit = this.#exit;
    this.#exit = null;
    exit?.(reason);
  }

  #report(error: unknown, what: string): void {
    const reason =
      error instanceof LemonError ? error.code : error instanceof Error ? error.name : typeof error;
    this.#parts.logger.error({ stream: this.name, reason }, what);
  }
}
