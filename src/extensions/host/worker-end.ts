/** How a worker ended, in words for the one whose call was under way. */
import type { RestartCause } from "../port.ts";

/** `stopped`: the host wanted it, and it counts for nothing. */
export interface WorkerEnd {
  readonly cause: RestartCause | "stopped";
  /** Such as `exit code 3`. */
  readonly detail: string;
}

/** A worker ended before it had answered. */
export class WorkerEndedError extends Error {
  readonly end: WorkerEnd;

  constructor(end: WorkerEnd) {
    super(`the extension's worker ended: ${end.detail}`);
    this.name = "WorkerEndedError";
    this.end = end;
  }
}
