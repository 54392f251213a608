/** What a restore needs, and how it is asked for. */
import type { EventLog } from "../../log/index.ts";
import type { Ids } from "../../ports.ts";
import type { FileCalls } from "../../workspace/index.ts";

/** What a restore needs. */
export interface RestoreParts {
  readonly log: EventLog;
  readonly files: FileCalls;
  readonly ids: Ids;
  /** Restores that this process is at; what is open and not among them has lost its process. */
  readonly running: Set<string>;
}

/** How a restore is asked for. */
export interface RestoreOptions {
  /** Default: all. Relative ones start from the working directory of the checkpoint. */
  readonly paths?: readonly string[] | undefined;
  /** Also over what somebody else wrote since, and outside of the working directory. Default `false`. */
  readonly force?: boolean | undefined;
  /** Only tell what would become of each path. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /** What is not in its place when it fires stays as it is. */
  readonly signal?: AbortSignal | undefined;
}
