/** How long a side query may take, over all that it does, and who may end it earlier. */
import type { Clock } from "../../ports.ts";
import { SideQueryError } from "./errors.ts";

/** Runs from its making on. Ends once: by time, or because somebody cancelled. */
export class Deadline {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  readonly #abort = new AbortController();
  readonly #cancelTimer: () => void;
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort = (): void => this.cancel();

  /** @param caller - cancels when it fires */
  constructor(clock: Clock, timeoutMs: number, caller?: AbortSignal) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#cancelTimer = clock.setTimer(timeoutMs, () => this.#end("timeout"));
    caller?.addEventListener("abort", this.#onAbort, { once: true });
    if (caller?.aborted === true) this.cancel();
  }

  /** Fires at the end; its reason is a {@link SideQueryError} `timeout` or `cancelled`. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Milliseconds since it began. */
  get elapsedMs(): number {
    return Math.max(0, Math.round(this.#clock.monotonic() - this.#startedAt));
  }

  /** Milliseconds that are left. */
  get remainingMs(): number {
    return Math.max(0, this.#timeoutMs - this.elapsedMs);
  }

  cancel(): void {
    this.#end("cancelled");
  }

  /** It is not needed any more: nothing fires. */
  close(): void {
    this.#cancelTimer();
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }

  /**
   * What the work gives, if it comes in time. Work that comes later is dropped.
   *
   * @throws SideQueryError `timeout` or `cancelled`, and what the work throws
   */
  async bound<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    const { signal } = this;
    signal.throwIfAborted();
    let end: () => void = () => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      // The reason is ours, see `signal`.
      end = () => reject(signal.reason as SideQueryError);
      signal.addEventListener("abort", end, { once: true });
    });
    try {
      return await Promise.race([Promise.resolve().then(work), ended]);
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** @throws SideQueryError when it ends while it waits */
  async sleep(ms: number): Promise<void> {
    let cancel: () => void = () => undefined;
    try {
      await this.bound(
        () =>
          new Promise<void>((resolve) => {
            cancel = this.#clock.setTimer(ms, resolve);
          }),
      );
    } finally {
      cancel();
    }
  }

  #end(reason: "timeout" | "cancelled"): void {
    this.close();
    if (!this.signal.aborted) this.#abort.abort(new SideQueryError(reason));
  }
}
