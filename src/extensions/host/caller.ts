/** What the proxies of an extension's members need of its host. */
import type { Clock, Logger } from "../../ports.ts";
import type { WorkerInstance } from "./instance.ts";
import type { MapPositions } from "./thrown-error.ts";

/** The worker of an extension, whichever it is at the moment. */
export interface Caller {
  readonly module: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mapPositions: MapPositions;
  /**
   * Calls `use` with the worker, at once if there is one, else when it has been started again.
   *
   * @param refused - called instead when there will be none
   * @returns takes the request back
   */
  whenReady(use: (instance: WorkerInstance) => void, refused: (why: NoWorker) => void): () => void;
  /** A call was aborted, for `reason`, and its caller answered: the worker is given a second to end it. */
  abandon(instance: WorkerInstance, id: number, reason: unknown): void;
}

/** Why there is no worker. */
export type NoWorker = { readonly kind: "quarantined"; readonly reason: string } | { readonly kind: "ended" };
