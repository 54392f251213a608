/** What may be the id of a background run, and where its facts are. docs/reference/background-runs.md */
import { NotFoundError } from "../../errors.ts";

const ID = /^bg_[\da-f]{16}$/;
const STREAM_PREFIX = "background-";
/** The queue in which runs wait. */
export const BACKGROUND_QUEUE = "background";
/** The lease of the one worker of a log. */
export const WORKER_LEASE = "background-worker";

/** Whether it can be the id of a run. */
export function isRunId(id: unknown): id is string {
  return typeof id === "string" && ID.test(id);
}

/** The stream of a run's lifecycle; its work is in that of the session with the same id. */
export function runStreamName(id: string): string {
  return STREAM_PREFIX + id;
}

/** What the streams of all runs begin with. */
export { STREAM_PREFIX as RUN_STREAM_PREFIX };

/** There is no such run, or none that the asker may see. Code `LEMON_NOT_FOUND`. */
export class RunNotFoundError extends NotFoundError {
  constructor() {
    super("there is no such background run: see `lemon background list`", { field: "id" });
  }
}
