/** Where a stream stands, and where a reader asks to stand. */
import { InvalidVersionError, type EventLog } from "../log/index.ts";

/** Version of the last fact of a stream; 0 when there is none. */
export async function lastVersionOf(log: EventLog, stream: string): Promise<number> {
  for await (const { version } of log.read(stream, { backwards: true })) return version;
  return 0;
}

/**
 * The version to read up to.
 *
 * @param at - default the last
 * @throws InvalidVersionError when the stream has no such version
 */
export async function versionAt(log: EventLog, stream: string, at?: number): Promise<number> {
  const last = await lastVersionOf(log, stream);
  if (at === undefined) return last;
  if (!Number.isSafeInteger(at) || at < 1 || at > last) throw new InvalidVersionError(stream, at, last);
  return at;
}
