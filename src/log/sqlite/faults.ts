/** From what SQLite reports to the errors that callers can act on. */
import { statfsSync } from "node:fs";
import path from "node:path";
import {
  LogBusyError,
  LogClosedError,
  LogCorruptError,
  LogFullError,
  LogIoError,
  LogReadOnlyError,
  LogUnavailableError,
} from "../errors.ts";

/** SQLite's extended result code, `SQLITE_FULL` …; `null` for an error that is not SQLite's. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" && error.code.startsWith("SQLITE_") ? error.code : null;
}

/** True when another connection holds the lock that was needed. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith("SQLITE_BUSY") ?? false;
}

/**
 * The error to give for `error`: a typed one for a fault of the file or the disk, itself for everything else.
 *
 * @param position - first position that could not be read, where it is known
 */
export function typedFault(error: unknown, location: string, position: number | null = null): unknown {
  if (error instanceof TypeError && error.message === "The database connection is not open") {
    return new LogClosedError(location);
  }
  const code = sqliteCode(error);
  if (code === null) return error;
  // Extended codes are the primary code and a suffix: https://sqlite.org/rescode.html
  const primary = code.split("_", 2).join("_");
  switch (primary) {
    case "SQLITE_FULL":
      return new LogFullError(location, error);
    case "SQLITE_READONLY":
      return new LogReadOnlyError(location, readOnlyReason(code), error);
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
      return new LogCorruptError(location, (error as Error).message, position, error);
    case "SQLITE_IOERR":
      // Growing the shared memory file on a full disk is reported as an I/O error, not as a full disk.
      return isDiskFull(location) ? new LogFullError(location, error) : new LogIoError(location, error);
    case "SQLITE_BUSY":
      return new LogBusyError(location, error);
    case "SQLITE_CANTOPEN":
      return new LogUnavailableError(
        "cannot_open",
        `${location} can't be opened: ${(error as Error).message}`,
        error,
      );
    default:
      return error;
  }
}

function readOnlyReason(code: string): string {
  if (code === "SQLITE_READONLY_DBMOVED")
    return "the file was moved or deleted while it was open; open it again";
  return "the file, its directory or the file system is read-only; give it write permission or open it read-only";
}

function isDiskFull(location: string): boolean {
  try {
    return statfsSync(path.dirname(location)).bavail === 0;
  } catch {
    return false; // the original error is reported instead
  }
}
