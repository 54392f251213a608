/** The slots that subagents hold in their lane, given back while they wait for subagents of their own. docs/reference/subagents.md, "Lanes" */
import type { Lane, Slot } from "../lane.ts";

interface Held {
  /** `null` while it waits. */
  slot: Slot | null;
  waits: number;
  isOver: boolean;
}

/** Who holds which slot. */
export class HeldSlots {
  readonly #lane: Lane;
  readonly #held = new Map<string, Held>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** A subagent is at work with this slot. @returns a function that ends it: its slot is free then, wherever it stands */
  hold(sessionId: string, slot: Slot): () => void {
    const held: Held = { slot, waits: 0, isOver: false };
    this.#held.set(sessionId, held);
    return () => {
      held.isOver = true;
      held.slot?.release();
      held.slot = null;
      if (this.#held.get(sessionId) === held) this.#held.delete(sessionId);
    };
  }

  /**
   * Waits for subagents of a session. If it is one itself its slot is free meanwhile, and before it goes on it takes one
   * again, ahead of newcomers.
   */
  async whileWaiting<Result>(
    sessionId: string,
    signal: AbortSignal,
    wait: () => Promise<Result>,
  ): Promise<Result> {
    const held = this.#held.get(sessionId);
    if (held === undefined) return wait();
    held.waits += 1;
    held.slot?.release();
    held.slot = null;
    try {
      return await wait();
    } finally {
      held.waits -= 1;
      if (held.waits === 0) await this.#again(held, signal);
    }
  }

  async #again(held: Held, signal: AbortSignal): Promise<void> {
    const slot = await this.#lane.acquire(signal, true).catch(() => null);
    if (slot === null) return; // told to stop: it does not go on
    // Another of its calls has begun to wait meanwhile, or has got a slot for it, or its work is over.
    if (held.isOver || held.waits > 0 || held.slot !== null) slot.release();
    else held.slot = slot;
  }
}
