/** Checkpoints for one who only looks: nothing is written, neither to the log nor to a file. */
import { LogReadOnlyError, type EventLog } from "../../log/index.ts";
import { silentLogger } from "../../ports.ts";
import { CheckpointService } from "./service.ts";

/** What can be looked at. A restore is only foretold. */
export type CheckpointReader = Pick<
  CheckpointService,
  "list" | "latest" | "get" | "stats" | "diffFilesystem" | "previewFilesystem"
>;

/** @param cwd - of sessions that were never started */
export function checkpointReader(log: EventLog, cwd: string): CheckpointReader {
  const refuse = (): Promise<never> =>
    Promise.reject(new LogReadOnlyError("the log", "it is only looked at"));
  return new CheckpointService({
    log,
    cwd,
    sessions: { isOpen: () => false, update: refuse, lead: refuse },
    ids: () => "",
    logger: silentLogger,
    mask: (value) => value,
    settings: { dir: null, export: false, maxPerSession: 1, maxBytesPerSession: 1 },
    todosOf: refuse,
    todosFrom: () => [],
    requirementsOf: refuse,
  });
}
