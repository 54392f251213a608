/** What a worker's life needs of the world around it. */
import type { Clock, Logger } from "../../ports.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import type { WorkerOutput } from "./worker-output.ts";
import type { WorkerEnd } from "./worker-end.ts";

/** Made for each instance. */
export interface InstanceWorld {
  readonly module: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly watch: MemoryWatch;
  readonly output: WorkerOutput;
  /** Finds what running code imports by a name that it has computed. @returns the URL to import */
  importUrl(specifier: string, importerUrl: string): Promise<string>;
  /** Called once, after the calls under way have been told. */
  onEnd(end: WorkerEnd): void;
}
