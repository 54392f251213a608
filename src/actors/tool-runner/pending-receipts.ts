/** Receipts that are still to come: of calls that run, and of those whose tools go on after the end of their call. */
import type { Clock, Logger } from "../../ports.ts";

/** Those of one session. */
export class PendingReceipts {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** One is to come. That it does not come is logged, and fails nobody. */
  add(receipt: Promise<unknown>): void {
    const settled = receipt
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.name : typeof error;
        this.#logger.warn({ reason }, "the receipt of a call that was stopped could not be recorded");
      })
      .finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  /** Resolves when all have come, after `atMostMs` in any case. */
  async settled(atMostMs: number): Promise<void> {
    if (this.#pending.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.setTimer(atMostMs, resolve);
      void Promise.all(this.#pending).then(() => {
        cancel();
        resolve();
      });
    });
  }
}
