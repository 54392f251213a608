/**
 * The inputs that wait for a stream. It belongs to the stream, not to its actors, so a restart loses none of them.
 */
import type { Fact, FactType } from "../events/index.ts";

/** An input on its way into a stream. */
export interface Input {
  readonly type: FactType;
  readonly data: unknown;
  /** `caller`, `recovery`, or the actor whose decision it answers. */
  readonly actor: string;
  /** Version of the decision that it answers; `null` for one from outside. */
  readonly causation: number | null;
}

/** An input and who waits for it. Exactly one of the two is called, once. */
export interface Envelope {
  readonly input: Input;
  /** It already stands in for an input on which an actor crashed. */
  readonly substitute: boolean;
  /** The recorded fact; `null` when it came too late for its slot and was dropped. */
  readonly resolve: (fact: Fact | null) => void;
  readonly reject: (error: unknown) => void;
}

/** First in, first out; recovery and what has to be tried again go in front. */
export class Mailbox {
  #waiting: Envelope[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  push(envelope: Envelope): void {
    this.#waiting.push(envelope);
  }

  /** Puts envelopes in front of all others, keeping their own order. */
  unshift(envelopes: readonly Envelope[]): void {
    this.#waiting = [...envelopes, ...this.#waiting];
  }

  shift(): Envelope | undefined {
    return this.#waiting.shift();
  }

  /** Whether an answer to the decision at this version is among them. */
  answers(version: number): boolean {
    return this.#waiting.some(({ input }) => input.causation === version);
  }

  /** Takes out those that a caller sent, leaving the outcomes of effects. */
  takeCallers(): Envelope[] {
    const callers = this.#waiting.filter(({ input }) => input.causation === null);
    this.#waiting = this.#waiting.filter(({ input }) => input.causation !== null);
    return callers;
  }

  /** Takes out all. */
  drain(): Envelope[] {
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }
}
