/**
 * Runs what decisions ask for, once they are durable, and turns the end of each into an outcome.
 *
 * Effects are keyed by the version of their decision and outlive the actors of their stream: a crash of an actor
 * does not stop a healthy command. Only a settled slot, a lost lease or the end of the stream signals them.
 */
import type { Fact, FactData, FactType } from "../events/index.ts";
import type { Clock } from "../ports.ts";
import type { LivePiece } from "../projections/index.ts";

/** What an effect hands back: the data of the input that settles its slot. */
export type Outcome = { [T in FactType]: { readonly type: T; readonly data: FactData<T> } }[FactType];

/** What an effect may use beside its own dependencies. */
export interface EffectContext {
  /** Fires when the slot is settled by a decision, the lease is lost or the stream ends. */
  readonly signal: AbortSignal;
  /** Records an input that belongs to the slot while the effect goes on; resolves when it is durable. */
  readonly record: (outcome: Outcome) => Promise<void>;
  /** Passes something on to subscribers that is not recorded, while the effect still owns its slot. */
  readonly live: (event: LivePiece) => void;
}

/** How a decision is carried out, and how recovery settles it when its process is gone. */
export interface Effect<Type extends FactType = FactType> {
  /** Resolves to the outcome; must not reject for what the world outside does. `null`: a caller gives the outcome. */
  readonly run: ((fact: Fact<Type, FactData<Type>>, context: EffectContext) => Promise<Outcome>) | null;
  /** After a restart, for a decision that has no outcome: an outcome, `run` again, or `wait` for a caller. */
  readonly recover: (fact: Fact<Type, FactData<Type>>) => Promise<Outcome | "run" | "wait">;
  /** What is recorded of an outcome whose slot was settled without it; `null` for nothing. Default: nothing. */
  readonly late?: (outcome: Outcome) => Outcome | null;
  /** The outcome when `run` rejected, or when an actor crashed on its outcome. */
  readonly failed: (fact: Fact<Type, FactData<Type>>, error: unknown) => Outcome;
}

/** The effects of a stream, by the decision that they carry out. */
export type EffectTable = { readonly [Type in FactType]?: Effect<Type> };

interface Running {
  readonly fact: Fact;
  readonly abort: AbortController;
}

/** What the runner needs of its stream. */
export interface EffectHost {
  readonly submit: (outcome: Outcome, cause: Fact) => Promise<Fact | null>;
  readonly live: (event: LivePiece) => void;
  readonly unexpected: (error: unknown) => void;
}

/** The effects of one stream that are running in this process. */
export class EffectRunner {
  readonly #effects: EffectTable;
  readonly #host: EffectHost;
  readonly #running = new Map<number, Running>();
  #idle: (() => void)[] = [];

  constructor(effects: EffectTable, host: EffectHost) {
    this.#effects = effects;
    this.#host = host;
  }

  /** The effect of a decision, if it has one. */
  effectOf(type: string): Effect | undefined {
    // Each entry takes the facts of its own key.
    return (this.#effects as Record<string, Effect | undefined>)[type];
  }

  isRunning(version: number): boolean {
    return this.#running.has(version);
  }

  /** Starts the effect of a durable decision, if it has one to run. */
  start(fact: Fact): void {
    const effect = this.effectOf(fact.type);
    if (effect === undefined || effect.run === null) return;
    const abort = new AbortController();
    this.#running.set(fact.version, { fact, abort });
    const owns = (): boolean => this.#running.has(fact.version) && !abort.signal.aborted;
    const context: EffectContext = {
      signal: abort.signal,
      record: async (outcome) => {
        const recorded = await this.#host.submit(outcome, fact);
        if (recorded === null) throw new Error(`${outcome.type} came after the end of its slot`);
      },
      live: (event) => {
        if (owns()) this.#host.live(event);
      },
    };
    const typed = fact as Parameters<typeof effect.run>[0];
    void effect
      .run(typed, context)
      .catch((error: unknown) => effect.failed(typed, error))
      .then((outcome) => {
        // It has answered: from here on nothing signals it, or what its command left running would die.
        this.#finish(fact.version);
        return this.#submit(effect, outcome, fact);
      })
      .catch((error: unknown) => this.#host.unexpected(error));
  }

  /** Signals the effects whose slot has been settled without them. */
  keepOnly(openVersions: ReadonlySet<number>, reason: string): void {
    for (const [version, { abort }] of this.#running) {
      if (!openVersions.has(version)) abort.abort(new Error(reason));
    }
  }

  /** Signals all. */
  abortAll(reason: string): void {
    this.keepOnly(new Set(), reason);
  }

  /** Resolves when none is running, or after `atMostMs`: an effect that ignores its signal is not waited for. */
  async idle(clock: Clock, atMostMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimer(atMostMs, resolve);
      this.#idle.push(() => {
        cancel();
        resolve();
      });
    });
  }

  async #submit(effect: Effect, outcome: Outcome, fact: Fact): Promise<void> {
    if ((await this.#host.submit(outcome, fact)) !== null) return;
    const instead = effect.late?.(outcome) ?? null;
    if (instead !== null) await this.#host.submit(instead, fact);
  }

  #finish(version: number): void {
    this.#running.delete(version);
    if (this.#running.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
