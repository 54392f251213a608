/** Where the calls of a runtime have looked at and kept what they change. docs/reference/receipts.md */
import path from "node:path";
import { CallWindows, ScanPatience, type ChangesWorld, type CheckpointService } from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Logger } from "../ports.ts";
import { openWorkspaceScanner, type WorkspaceScanner } from "../workspace/index.ts";

/** What {@link changesWorld} is made of. */
export interface ChangesParts {
  readonly log: EventLog;
  readonly checkpoints: CheckpointService;
  readonly home: string;
  readonly logger: Logger;
  /** Default: one that keeps its cache in `home`. */
  readonly scanner?: WorkspaceScanner | undefined;
}

/** Nothing is opened before the first call that needs it. Its scanner is to be closed. */
export function changesWorld({ log, checkpoints, home, logger, scanner }: ChangesParts): ChangesWorld {
  let location: string | undefined;
  return {
    windows: new CallWindows(),
    patience: new ScanPatience(),
    scanner: scanner ?? openWorkspaceScanner({ cacheFile: path.join(home, "scan-cache.db"), home, logger }),
    // The log, and what stands beside it: `.head`, `-wal`, `-shm`. It changes because the call is recorded.
    isOwn: async (file) => file.startsWith((location ??= (await log.info()).location)),
    putBlob: (bytes) => log.putBlob(bytes),
    guard: (...request) => checkpoints.guard(...request),
    logger,
  };
}
