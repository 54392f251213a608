/** Opening a log's file: what is not ours is refused before SQLite may touch it. */
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type BetterSqlite from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { NotFoundError } from "../../errors.ts";
import { LogNewerError, LogReadOnlyError, LogUnavailableError } from "../errors.ts";
import { sqliteCode, typedFault } from "./faults.ts";
import {
  APPLICATION_ID,
  createTables,
  FORMAT_VERSION,
  formatOf,
  isBlank,
  migrate,
  type Format,
} from "./schema.ts";

// CommonJS, whose face for `import` takes 10 ms longer to load: every command that reads a log waits for it.
const Sqlite = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite;

/** How long opening waits for another process that is just making the same log. */
const OPEN_PATIENCE_MS = 10_000;

/**
 * Opens the log at `file`, an absolute path, and makes it when it is missing. To write, one of an older format is given today's.
 *
 * @throws NotFoundError when it is missing and `readOnly`
 * @throws LogUnavailableError, LogNewerError, LogReadOnlyError, LogCorruptError
 */
export function openFile(file: string, { readOnly }: { readonly readOnly: boolean }): Database {
  if (file !== file.trimEnd()) {
    // better-sqlite3 would trim it, and open another file.
    throw new LogUnavailableError(
      "cannot_open",
      `${JSON.stringify(file)} ends in white space: choose another name`,
    );
  }
  const format = formatOnDisk(file);
  if (format === null) assertMayCreate(file, readOnly);
  else assertOurs(file, format);
  if (!readOnly) assertWritable(file);
  try {
    return readOnly ? openReadOnly(file) : openWritable(file);
  } catch (error) {
    throw typedFault(error, file);
  }
}

/** A log that lives and dies with its handle. */
export function openMemory(): Database {
  const db = new Sqlite(":memory:");
  createTables(db);
  return db;
}

/** A log holds conversations and files: it is its owner's alone. SQLite gives its WAL the mode of the file. */
const PRIVATE = 0o600;

/** Makes an empty file, as SQLite would, but private; one that is there keeps its mode. */
export function touchPrivate(file: string): void {
  closeSync(openSync(file, "a", PRIVATE));
}

function openWritable(file: string): Database {
  touchPrivate(file);
  const db = new Sqlite(file, { timeout: OPEN_PATIENCE_MS });
  return orClose(db, () => {
    if (isBlank(db)) createTables(db);
    assertOurs(file, formatOf(db));
    db.pragma("journal_mode = WAL");
    // On macOS, fsync leaves the data in the drive's cache: https://sqlite.org/pragma.html#pragma_fullfsync
    db.pragma("fullfsync = 1");
    db.pragma("checkpoint_fullfsync = 1");
    migrate(db);
    return db;
  });
}

function openReadOnly(file: string): Database {
  try {
    return checked(
      file,
      new Sqlite(file, { readonly: true, fileMustExist: true, timeout: OPEN_PATIENCE_MS }),
    );
  } catch (error) {
    if (!isAloneOnReadOnlyDisk(file, error)) throw error;
    return checked(file, openCopyInMemory(file));
  }
}

function checked(file: string, db: Database): Database {
  return orClose(db, () => {
    assertOurs(file, formatOf(db));
    return db;
  });
}

/**
 * In a directory that is read-only too, SQLite can't make the shared memory that a WAL needs. When nothing waits in
 * a WAL, the file alone is the log.
 */
function isAloneOnReadOnlyDisk(file: string, error: unknown): boolean {
  const code = sqliteCode(error);
  if (code === null || !/^SQLITE_(CANTOPEN|READONLY)/.test(code)) return false;
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function openCopyInMemory(file: string): Database {
  const bytes = readFileSync(file);
  // The header's read and write versions: 2 demands a WAL, which memory has not; 1 does not.
  // https://sqlite.org/fileformat.html#file_format_version_numbers
  bytes.fill(1, 18, 20);
  return new Sqlite(bytes, { readonly: true });
}

function orClose(db: Database, work: () => Database): Database {
  try {
    return work();
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The format in the file's header, https://sqlite.org/fileformat.html#the_database_header; `null` for no file or an empty one. */
function formatOnDisk(file: string): Format | null {
  const header = readHeader(file);
  if (header.length === 0) return null;
  if (header.length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw notALog(file, "it is not an SQLite database");
  }
  return { applicationId: header.readUInt32BE(68), version: header.readUInt32BE(60) };
}

function readHeader(file: string): Buffer {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new LogUnavailableError("not_a_file", `${file} is a directory`);
    // Opening a pipe would wait for its other end, for ever.
    if (!found.isFile()) throw new LogUnavailableError("not_a_file", `${file} is not a regular file`);
    const descriptor = openSync(file, "r");
    try {
      const header = Buffer.alloc(100);
      return header.subarray(0, readSync(descriptor, header, 0, 100, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return onUnreadable(file, error);
  }
}

function onUnreadable(file: string, error: unknown): Buffer {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return Buffer.alloc(0);
    case "ENOTDIR":
      throw new LogUnavailableError("no_directory", `${path.dirname(file)} is not a directory`, error);
    case "EACCES":
    case "EPERM":
      throw new LogUnavailableError(
        "no_permission",
        `no permission to read ${file}: give it, or use another log`,
        error,
      );
    default:
      throw error;
  }
}

function assertMayCreate(file: string, readOnly: boolean): void {
  const directory = path.dirname(file);
  if (readOnly) throw new NotFoundError(`there is no log at ${file}`);
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    throw new LogUnavailableError(
      "no_directory",
      `${directory} does not exist: make it, or choose another place`,
    );
  }
}

/** SQLite needs the file and, for its WAL, the directory. */
function assertWritable(file: string): void {
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  for (const needed of isThere ? [file, path.dirname(file)] : [path.dirname(file)]) {
    try {
      accessSync(needed, constants.W_OK);
    } catch (error) {
      throw isThere
        ? new LogReadOnlyError(
            file,
            `no permission to write ${needed}; give it, or open the log read-only`,
            error,
          )
        : new LogUnavailableError("no_permission", `no permission to make ${file} in ${needed}`, error);
    }
  }
}

function assertOurs(file: string, { applicationId, version }: Format): void {
  if (applicationId !== APPLICATION_ID) throw notALog(file, "it is an SQLite database of another program");
  if (version > FORMAT_VERSION) throw new LogNewerError(file, version, FORMAT_VERSION);
}

function notALog(file: string, why: string): LogUnavailableError {
  return new LogUnavailableError(
    "not_a_log",
    `${file} is not a log of lemon-runtime: ${why}; it was not touched`,
  );
}
