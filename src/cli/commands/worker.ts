/** `lemon worker`: works on the background runs of a log until there has been nothing to do for a while. */
import { LemonError } from "../../errors.ts";
import { createRuntime, hasBackgroundWork, WORKER_LEASE, type Runtime } from "../../runtime/index.ts";
import type { Logger } from "../../ports.ts";
import { statuses, type Status } from "../errors.ts";
import type { WorkerFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { loggerOf } from "../logger.ts";
import { readingLog } from "../reading.ts";

/** Seconds without work after which it ends. */
const IDLE_SECONDS = 60;

/** One per log: a second one has nothing to do. */
export async function worker(context: Context, { idle = IDLE_SECONDS }: WorkerFlags): Promise<Status> {
  const { interrupts, out, leftBehind } = context;
  const signal = interrupts.soften();
  do {
    const runtime = await openWorker(context);
    if (runtime === null) {
      out.note("a worker runs already");
      return statuses.done;
    }
    try {
      await runtime.background.untilIdle(idle * 1_000, signal);
    } finally {
      leftBehind(await runtime.close());
    }
    if (interrupts.happened) return interrupts.status;
    // Who puts a run in line while this one gives back its lease finds that it is there, and starts no other.
  } while (await readingLog(context, hasBackgroundWork));
  return statuses.done;
}

/** `null` when another one leads. */
async function openWorker({ home, log, cwd, env, out }: Context): Promise<Runtime | null> {
  try {
    return await createRuntime({
      home,
      cwd,
      env,
      log,
      logger: dated(loggerOf(out)),
      // What extensions print is content, and what this process prints is kept.
      onExtensionOutput: () => undefined,
      background: { role: "worker", leaseKey: WORKER_LEASE },
    });
  } catch (error) {
    if (error instanceof LemonError && error.reason === "session_busy") return null;
    throw error;
  }
}

/** Its lines are read long after: each says when it was written. */
function dated(logger: Logger): Logger {
  const at = (fields: object): object => ({ at: new Date().toISOString(), ...fields });
  return {
    debug: (fields, message) => logger.debug(at(fields), message),
    info: (fields, message) => logger.info(at(fields), message),
    warn: (fields, message) => logger.warn(at(fields), message),
    error: (fields, message) => logger.error(at(fields), message),
  };
}
