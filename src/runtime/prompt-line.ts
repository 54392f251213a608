/** A session's place in the lane of its kind: a prompt waits there before anything of it is recorded. docs/reference/runtime.md, "Lanes" */
import { AlreadyStreamingError } from "../actors/index.ts";
import { AbortedError } from "./errors.ts";
import type { Lane, Slot } from "./lane.ts";

/** Where the prompts of one session wait. */
export class PromptLine {
  readonly #sessionId: string;
  readonly #lane: Lane | null;
  #waiting: AbortController | null = null;

  /** @param lane - `null`: whoever started the session has a slot for it, or none is needed */
  constructor(sessionId: string, lane: Lane | null) {
    this.#sessionId = sessionId;
    this.#lane = lane;
  }

  /** Whether a prompt waits. */
  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /**
   * Waits for a slot; what is returned gives it back.
   *
   * @throws AlreadyStreamingError while another prompt of the session waits; AbortedError when it was told to stop
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (this.#waiting !== null) throw new AlreadyStreamingError(this.#sessionId);
    if (this.#lane === null) return () => undefined;
    const waiting = new AbortController();
    const onAbort = (): void => waiting.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting = waiting;
    try {
      const slot = await this.#lane.acquire(waiting.signal);
      // Told to stop in the very moment in which it came to its turn.
      if (waiting.signal.aborted) slot.release();
      waiting.signal.throwIfAborted();
      return () => slot.release();
    } catch (error) {
      throw error instanceof AbortedError ? error : new AbortedError(messageOfAbort(error));
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#waiting = null;
    }
  }

  /** A run goes on that was open when the session was resumed: it counts, and is not held up. */
  force(): Slot | null {
    return this.#lane?.force() ?? null;
  }

  /** Takes the prompt that waits out of the line. @returns whether there was one */
  leave(reason: string): boolean {
    if (this.#waiting === null) return false;
    this.#waiting.abort(new AbortedError(reason));
    return true;
  }
}

function messageOfAbort(reason: unknown): string {
  return reason instanceof Error
    ? reason.message
    : typeof reason === "string"
      ? reason
      : "aborted by the caller";
}
