/** The place under an extension's supervisor where its current worker stands. */
import { type Child, type ExitReason, exitLatch } from "../../supervision/index.ts";
import type { WorkerInstance } from "./instance.ts";
import type { WorkerEnd } from "./worker-end.ts";

/**
 * A worker as a supervised child. A worker that is retired leaves its place before it ends: it is replaced at once, and
 * finishes what it has under way outside.
 */
export class WorkerSlot implements Child {
  readonly instance: WorkerInstance;
  readonly #latch = exitLatch();
  /** The worker leaves its place and goes on: its place is given up, not its life. */
  isRetiring = false;

  constructor(instance: WorkerInstance) {
    this.instance = instance;
    if (instance.ended !== undefined) this.crashed(instance.ended);
  }

  get exited(): Promise<ExitReason> {
    return this.#latch.exited;
  }

  /** It has to be started again, and this counts. An exit with code 0 counts too: nobody asked for it. */
  crashed(end: WorkerEnd): void {
    this.#latch.settle({ kind: "crash", detail: new Error(end.detail) });
  }

  shutdown(): void {
    if (!this.isRetiring) this.instance.end({ cause: "stopped", detail: "it was told to" });
    this.#latch.settle({ kind: "shutdown" });
  }

  kill(): void {
    this.instance.end({ cause: "stopped", detail: "it was killed" });
    this.#latch.settle({ kind: "killed" });
  }
}
