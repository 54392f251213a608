/** From a place to a log: which engine, which file. */
import { statfsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadSchemas } from "../events/index.ts";
import { LogUnavailableError } from "./errors.ts";
import type { EventLog, OpenOptions } from "./port.ts";
import type { FactCheck } from "./sqlite/append.ts";
import { guarded } from "./sqlite/connection.ts";
import { SqliteEventLog } from "./sqlite/engine.ts";
import { openFile, openMemory } from "./sqlite/open-file.ts";

const MEMORY = ":memory:";

/**
 * Opens a log, and makes it when it is missing.
 *
 * @param urlOrPath - path of an SQLite file, a `file:` URL of one, or `:memory:`
 * @throws NotFoundError when it is missing and `readOnly`
 * @throws LogUnavailableError for a place where no log can be: no directory, no permission, another kind of file
 * @throws LogReadOnlyError, LogNewerError, LogCorruptError
 *
 * @example
 * const log = await openEventLog("work.db");
 * await log.append("session-1", "none", [fact]);
 * await log.close();
 */
export async function openEventLog(urlOrPath: string, options: OpenOptions = {}): Promise<EventLog> {
  const { durability = "strict", readOnly = false, now = Date.now, onWarning = warn } = options;
  const location = locationOf(urlOrPath);
  const db = location === MEMORY ? openMemory() : openFile(location, { readOnly });
  if (location !== MEMORY) warnOfNetwork(location, onWarning);
  // The schemas take longer to load than a log to open, and a reader never needs them.
  const checkFact = readOnly ? checkNothing : (await loadSchemas()).checkFact;
  const connection = { db, location, readOnly };
  try {
    return guarded(
      connection,
      () => new SqliteEventLog(connection, { durability, now, checkFact, onWarning }),
    );
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Never asked: a log that was opened read-only refuses every unit. */
const checkNothing: FactCheck = () => undefined;

function locationOf(urlOrPath: string): string {
  if (urlOrPath === MEMORY) return MEMORY;
  // Two letters at least: `C:` is a drive.
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(urlOrPath)?.[1]?.toLowerCase();
  if (scheme === undefined) return path.resolve(urlOrPath);
  if (scheme === "file") return fileURLToPath(urlOrPath);
  throw new LogUnavailableError(
    "unknown_scheme",
    `no engine for ${scheme}: logs; give a path or a file: URL`,
  );
}

/** `f_type` of file systems on which SQLite's locks can't be trusted, statfs(2). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
]);

function warnOfNetwork(file: string, onWarning: (message: string) => void): void {
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(path.dirname(file)).type);
  if (network === undefined) return;
  onWarning(
    `${file} is on a network file system (${network}), where a log can be damaged: keep it on a local disk`,
  );
}

function warn(message: string): void {
  process.emitWarning(message, "LogWarning");
}
