/** One life of a child: from the call of its start function until its end is known. */
import type { Clock } from "../ports.ts";
import { type Child, type ExitReason, toExitReason } from "./child.ts";
import { plainReason, type SupervisionEvent } from "./events.ts";
import type { Registry } from "./registry.ts";

/** What a supervisor lends to what runs below it. @internal */
export interface Host {
  readonly path: string;
  readonly clock: Clock;
  readonly registry: Registry | undefined;
  readonly onEvent: ((event: SupervisionEvent) => void) | undefined;
  report(event: SupervisionEvent): void;
}

/** @internal */
export class Instance {
  readonly host: Host;
  readonly childId: string;
  readonly number: number;
  /** True while the start function runs: a supervisor that is started meanwhile belongs under this child. */
  starting = true;
  child: Child | undefined;
  /** Set once, when the end is known. */
  ended: ExitReason | undefined;
  /** What has decided the exit reason before the child told one: a stray error, or our kill. */
  #verdict: ExitReason | undefined;
  /** The supervisor is stopping it, and is told of its end by that. */
  isStopping = false;
  #waiting: (() => void)[] | undefined;
  #onEnd: ((instance: Instance, reason: ExitReason) => void) | undefined;

  constructor(host: Host, childId: string, number: number) {
    this.host = host;
    this.childId = childId;
    this.number = number;
  }

  get path(): string {
    return `${this.host.path}/${this.childId}`;
  }

  /** A stray error that came before the start function had returned. */
  get strayAtStart(): unknown {
    return this.starting ? this.#verdict?.detail : undefined;
  }

  /** The start function has returned `child`; from now on its end is awaited and told to `onEnd`, once. */
  attach(child: Child, onEnd: (instance: Instance, reason: ExitReason) => void): void {
    this.starting = false;
    this.child = child;
    this.#onEnd = onEnd;
    const end = (told: unknown): void => this.conclude(toExitReason(told));
    void child.exited.then(end, end); // a rejection breaks the contract, and is a crash
  }

  /** The end is known, or the supervisor no longer waits for it. The first to say so wins; later ends are fenced out. */
  conclude(told: ExitReason): void {
    if (this.ended !== undefined) return;
    this.ended = this.#verdict ?? told;
    this.#onEnd?.(this, this.ended);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const tell of waiting) tell();
  }

  /** Calls `tell` when the end is known, after it was reported. Not for one that has ended. */
  whenEnded(tell: () => void): void {
    (this.#waiting ??= []).push(tell);
  }

  /** Nothing came of the start: refused, or ignored. */
  discard(): void {
    this.starting = false;
    this.ended = { kind: "normal" };
  }

  /**
   * Ends the child with `reason`, whatever it says itself. The first reason stands, since later ones are its consequence.
   * What `kill` throws becomes the reason too.
   */
  kill(reason: ExitReason = { kind: "killed" }): void {
    if (this.ended !== undefined) return;
    this.#verdict ??= reason;
    try {
      this.child?.kill();
    } catch (error) {
      this.#verdict = { kind: "crash", detail: error };
    }
  }

  /** An error that no call returns came out of this child's code. */
  crash(error: unknown): void {
    const reason: ExitReason = { kind: "crash", detail: error };
    if (this.ended === undefined && this.#verdict === undefined) this.kill(reason);
    else this.host.report({ type: "child.late_error", ...this.identity, reason: plainReason(reason) });
  }

  get identity(): { supervisor: string; childId: string; instance: number } {
    return { supervisor: this.host.path, childId: this.childId, instance: this.number };
  }
}
