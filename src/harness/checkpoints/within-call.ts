/** What a call may do with the checkpoints of its own session. docs/reference/checkpoints.md, "The tool" */
import type { LemonError } from "../../errors.ts";
import { noCheckpoint } from "./errors.ts";
import type { RestoreOptions } from "./restore-options.ts";
import type { CheckpointService } from "./service.ts";
import type { CheckpointDiff, CheckpointSummary, RestoreResult } from "./types.ts";
import type { Recorder } from "./writing.ts";

/** Those of any other session are not found. */
export interface CheckpointControl {
  /** The newest first. */
  list(): Promise<CheckpointSummary[]>;
  /** @throws LemonError, as `runtime.checkpoints.diffFilesystem` does */
  diff(id: string, paths?: readonly string[]): Promise<CheckpointDiff>;
  /** @throws LemonError, as `runtime.checkpoints.restoreFilesystem` does */
  restore(id: string, options: RestoreOptions): Promise<RestoreResult>;
  /** @throws NotFoundError */
  delete(id: string): Promise<void>;
}

/** What is written is written within the call. */
export function checkpointsOfCall(
  service: CheckpointService,
  sessionId: string,
  recorder: Recorder,
): CheckpointControl {
  const assertOwn = async (id: string): Promise<void> => {
    const own = await service.list(sessionId);
    if (!own.some((summary) => summary.id === id)) throw missing(id);
  };
  return {
    list: () => service.list(sessionId),
    diff: async (id, paths) => {
      await assertOwn(id);
      return service.diffFilesystem(id, { paths });
    },
    restore: async (id, options) => {
      await assertOwn(id);
      return service.restoreWithin(sessionId, id, options, recorder);
    },
    delete: async (id) => {
      if (!(await service.deleteWithin(sessionId, id, recorder))) throw missing(id);
    },
  };
}

function missing(id: string): LemonError {
  return noCheckpoint(id);
}
