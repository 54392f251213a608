/** The log, for commands that only look. Nothing is made and nothing is changed. */
import { NotFoundError } from "../errors.ts";
import { openEventLog, type EventLog } from "../log/index.ts";
import type { Context } from "./globals.ts";

/**
 * Opens the log read-only and closes it when `look` is done.
 *
 * @throws NotFoundError when there is no log, and what a log throws that can't be opened
 */
export async function readingLog<Result>(
  { log: place, out }: Context,
  look: (log: EventLog) => Promise<Result>,
): Promise<Result> {
  const log = await openEventLog(place, { readOnly: true, onWarning: (message) => out.warn(message) });
  try {
    return await look(log);
  } finally {
    await log.close();
  }
}

/** The same, where no log is an answer too: then `null`. */
export async function readingLogIfAny<Result>(
  context: Context,
  look: (log: EventLog) => Promise<Result>,
): Promise<Result | null> {
  try {
    return await readingLog(context, look);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
