/**
 * One life of a stream's actors: takes waiting inputs, makes their facts durable, and only then shows them to anybody
 * and starts their effects. The next unit starts when this one is durable, so decision order and log order are one.
 */
import { LemonError } from "../errors.ts";
import type { Fact } from "../events/index.ts";
import type { Lease, EventLog } from "../log/index.ts";
import type { Cascade } from "./cascade.ts";
import type { EffectRunner } from "./effect-runner.ts";
import { ActorCrashError } from "./errors.ts";
import type { LoadedStream } from "./load.ts";
import type { Envelope, Mailbox } from "./mailbox.ts";
import type { OpenDecisions } from "./open-decisions.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";
import type { StreamViews } from "./stream-views.ts";
import type { Subscribers } from "./subscribers.ts";
import { takeUnit, type Unit, type UnitParts } from "./unit.ts";
import type { Unmasked } from "./unmasked.ts";

/** What outlives the actors of a stream. */
export interface Surroundings {
  readonly name: string;
  readonly log: EventLog;
  /** The lease of now: it changes with each heartbeat. */
  readonly lease: () => Lease;
  readonly unit: UnitParts;
  readonly mailbox: Mailbox;
  readonly runner: EffectRunner;
  readonly open: OpenDecisions;
  readonly unmasked: Unmasked;
  readonly subscribers: Subscribers;
  readonly snapshots: SnapshotKeeper;
  readonly report: (error: unknown, what: string) => void;
}

/** Why a life ended: an actor threw, or a unit could not be recorded. */
export interface LifeEnd {
  readonly kind: "crashed" | "not_recorded";
  readonly error: unknown;
}

/** Live actors and the views of what they made durable. After its end only the views are of use. */
export class Incarnation<Views extends StreamViews = StreamViews> {
  readonly views: Views;
  readonly #cascade: Cascade;
  readonly #around: Surroundings;
  readonly #ended: (end: LifeEnd) => void;
  #version: number;
  #hash: string;
  /** Views can be read, but nothing is taken: what was left open is not settled yet. */
  #isHeld = true;
  #isOver: boolean;
  #pumping: Promise<void> | null = null;

  /**
   * @param ended - told once, when it can take no more inputs; those that were not recorded are in the mailbox again
   */
  constructor(loaded: LoadedStream<Views>, around: Surroundings, ended: (end: LifeEnd) => void) {
    this.views = loaded.views;
    this.#cascade = loaded.cascade;
    this.#version = loaded.version;
    this.#hash = loaded.hash;
    this.#isOver = loaded.divergence !== null;
    this.#around = around;
    this.#ended = ended;
  }

  /** Version of the last durable fact. */
  get version(): number {
    return this.#version;
  }

  /** From now on it takes inputs. */
  begin(): void {
    this.#isHeld = false;
    this.wake();
  }

  /** Takes what waits, unless it is doing so. */
  wake(): void {
    if (this.#pumping !== null || this.#isHeld || this.#isOver || this.#around.mailbox.length === 0) return;
    this.#pumping = this.#pump()
      .catch((error: unknown) => this.#end({ kind: "crashed", error }))
      .finally(() => {
        this.#pumping = null;
        this.wake();
      });
  }

  /** Takes no more inputs; resolves when the unit in flight is through. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#pumping;
  }

  /** A fact that was recorded past the actors. */
  take(fact: Fact): void {
    this.#version = fact.version;
    this.#hash = fact.hash;
    this.views.fold(fact);
    this.#around.subscribers.publish({ fact });
  }

  async #pump(): Promise<void> {
    // What one turn of the event loop brings is taken together.
    await Promise.resolve();
    while (!this.#isOver && this.#around.mailbox.length > 0) {
      const unit = takeUnit(this.#cascade, this.#around.mailbox, this.#around.unit);
      const recorded = await this.#record(unit);
      if (recorded === null) return;
      this.#show(unit, recorded);
      if (unit.crash !== null) this.#end({ kind: "crashed", error: unit.crash.error });
    }
  }

  /** Makes a unit durable. @returns its facts, `null` when that failed */
  async #record(unit: Unit): Promise<readonly Fact[] | null> {
    if (unit.facts.length === 0) return [];
    const { log, name, lease, mailbox } = this.#around;
    try {
      return await log.append(name, this.#version, unit.facts, { fence: lease() });
    } catch (error) {
      mailbox.unshift(unit.verdicts.map(({ envelope }) => envelope));
      this.#end({ kind: "not_recorded", error });
      return null;
    }
  }

  /** The unit is durable: now the views, the subscribers, the effects and the senders may know. */
  #show(unit: Unit, recorded: readonly Fact[]): void {
    const { unmasked, subscribers, snapshots } = this.#around;
    const before = this.#version;
    this.#version += recorded.length;
    this.#hash = recorded.at(-1)?.hash ?? this.#hash;
    unmasked.take(unit, recorded);
    for (const fact of recorded) this.views.fold(fact);
    for (const fact of recorded) subscribers.publish({ fact });
    this.#startEffects(recorded);
    for (const { envelope, verdict } of unit.verdicts) {
      if (verdict.kind === "taken") envelope.resolve(recorded[verdict.version - before - 1] ?? null);
      else if (verdict.kind === "late") envelope.resolve(null);
      else if (verdict.kind === "refused") envelope.reject(verdict.error);
      else this.#replace(envelope, verdict.error);
    }
    if (unit.crash === null) snapshots.keep(this.#cascade, this.views, this.#hash);
  }

  #startEffects(recorded: readonly Fact[]): void {
    const { runner, open } = this.#around;
    const versions = new Set(this.#cascade.slots.values());
    runner.keepOnly(versions, "settled by a decision");
    open.keepOnly(versions);
    for (const fact of recorded) {
      // A slot that the same unit settled again: its effect never runs.
      if (!versions.has(fact.version)) continue;
      open.add(fact);
      runner.start(fact);
    }
  }

  /** An input that an actor crashed on, or that cannot be recorded: an outcome is replaced by the error of its slot. */
  #replace(envelope: Envelope, error: unknown): void {
    const { name, open, runner, mailbox, report } = this.#around;
    const replacement = open.replacementOf(envelope, error, runner);
    if (replacement === null) {
      envelope.reject(
        error instanceof LemonError ? error : new ActorCrashError(name, envelope.input.type, error),
      );
    } else {
      report(error, "an outcome was replaced by an error");
      mailbox.unshift([replacement]);
    }
  }

  #end(end: LifeEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended(end);
  }
}
