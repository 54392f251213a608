/** The calls of one worker that are not over yet. */
import type { WorkerEnd } from "./worker-end.ts";

/** Whom the frames of one call are told. Exactly one of `ok`, `failed` and `ended` is called, once. */
export interface CallListener {
  part?(value: unknown): void;
  ok(value: unknown): void;
  failed(fields: unknown): void;
  ended(end: WorkerEnd): void;
}

interface Entry {
  /** `undefined` once its caller has been answered otherwise: the call may still run. */
  listener: CallListener | undefined;
  readonly slot: number | undefined;
  onOver: (() => void) | undefined;
}

/** Numbers calls from 1 and lends each that needs one a place in the shared memory. */
export class CallListeners {
  readonly #entries = new Map<number, Entry>();
  readonly #freeSlots: number[] = [];
  #nextId = 1;
  #live = 0;
  /** Called when the last call that someone waits for is over. */
  onIdle: (() => void) | undefined;

  constructor(slots: number) {
    for (let slot = slots - 1; slot >= 0; slot -= 1) this.#freeSlots.push(slot);
  }

  /** Calls that someone waits for. */
  get live(): number {
    return this.#live;
  }

  /** Calls that run in the worker, whether someone waits or not. */
  get running(): number {
    return this.#entries.size;
  }

  add(id: number, listener: CallListener, slot?: number): void {
    this.#entries.set(id, { listener, slot, onOver: undefined });
    this.#live += 1;
  }

  nextId(): number {
    return this.#nextId++;
  }

  /** @returns `undefined` when every place is taken */
  takeSlot(): number | undefined {
    return this.#freeSlots.pop();
  }

  /** A place that was taken for a call that never began. */
  returnSlot(slot: number): void {
    this.#freeSlots.push(slot);
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  find(id: number): CallListener | undefined {
    return this.#entries.get(id)?.listener;
  }

  /** Its caller has been answered otherwise; `onOver` is called if the worker ever ends the call. */
  abandon(id: number, onOver?: () => void): void {
    const entry = this.#entries.get(id);
    if (entry?.listener === undefined) return;
    entry.listener = undefined;
    entry.onOver = onOver;
    this.#less();
  }

  /** The worker has ended the call. @returns whom to tell, if anyone */
  close(id: number): CallListener | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    if (entry.slot !== undefined) this.#freeSlots.push(entry.slot);
    if (entry.listener !== undefined) this.#less();
    else entry.onOver?.();
    return entry.listener;
  }

  /** The worker is gone. */
  closeAll(): readonly CallListener[] {
    const listeners: CallListener[] = [];
    for (const id of this.#entries.keys()) {
      const listener = this.close(id);
      if (listener !== undefined) listeners.push(listener);
    }
    return listeners;
  }

  #less(): void {
    this.#live -= 1;
    if (this.#live === 0) this.onIdle?.();
  }
}
