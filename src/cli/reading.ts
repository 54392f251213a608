/** The log, for commands that only look. Nothing is made and nothing is changed. */
import { NotFoundError } from "../errors.ts";
import type { Fact } from "../events/index.ts";
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

/**
 * Gives each new fact of a stream to `take`, until the process is interrupted or reading fails.
 *
 * @param last - the fact to go on after; `null` for the first of the stream
 */
export async function followStream(
  log: EventLog,
  stream: string,
  last: Fact | null,
  take: (fact: Fact) => void,
): Promise<void> {
  const after = last === null ? {} : { after: log.cursorOf(last) };
  // Following alone keeps no process alive.
  const alive = setInterval(() => undefined, 3_600_000);
  try {
    await new Promise<void>((resolve, reject) => {
      log.follow({ stream, ...after }).subscribe({ next: take, error: reject, complete: resolve });
    });
  } finally {
    clearInterval(alive);
  }
}
