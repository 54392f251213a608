/** Opens the log of a runtime, and makes the home that it lies in. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Config } from "../config/index.ts";
import { LogUnavailableError, openEventLog, type EventLog } from "../log/index.ts";

/**
 * Opens the log at a place; without one, that of the home.
 *
 * @throws LogUnavailableError, and the errors of opening a log
 */
export async function openLog(place: string | undefined, home: string, config: Config): Promise<EventLog> {
  if (place === undefined) await makeHome(home);
  return openEventLog(place ?? path.join(home, "log.db"), { durability: config.runtime.durability });
}

async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const isFile = code === "EEXIST" || code === "ENOTDIR";
    const why = isFile ? "is not a directory" : `could not be made (${code ?? "unknown error"})`;
    throw new LogUnavailableError(
      isFile ? "no_directory" : "no_permission",
      `the home ${home} ${why}`,
      error,
    );
  }
}
