/**
 * The file of the cache: made when it is missing, thrown away when it is damaged or not ours. docs/reference/coverage.md,
 * "The cache".
 */
import { closeSync, openSync, statSync, unlinkSync } from "node:fs";
import { createRequire } from "node:module";
import type BetterSqlite from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { codeOf } from "../file-errors.ts";

// CommonJS, whose face for `import` takes 10 ms longer to load.
const Sqlite = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite;

/** "lmsc" */
const APPLICATION_ID = 0x6c6d7363;
const FORMAT = 1;
const PAGE_BYTES = 8_192;
/** How long a scan waits for another process that writes. */
const PATIENCE_MS = 1_000;

const TABLES = `
  CREATE TABLE root (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, scan INTEGER NOT NULL, used INTEGER NOT NULL);
  CREATE TABLE content (sha256 TEXT NOT NULL UNIQUE, used INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE TABLE entry (
    root INTEGER NOT NULL, path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, kind TEXT NOT NULL, size INTEGER,
    mtime_ns INTEGER, ctime_ns INTEGER, inode TEXT, mode INTEGER, sha256 TEXT, settled INTEGER, word TEXT,
    PRIMARY KEY (root, path, since)
  ) WITHOUT ROWID;
  CREATE INDEX superseded ON entry (root, until) WHERE until IS NOT NULL;
  CREATE TABLE owner (id TEXT PRIMARY KEY, pid INTEGER NOT NULL, start_time INTEGER, host TEXT NOT NULL, boot_id TEXT);
  CREATE TABLE call_window (
    id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, marker TEXT NOT NULL, root INTEGER NOT NULL,
    scan INTEGER NOT NULL, named TEXT NOT NULL, reasons TEXT NOT NULL, opened_at INTEGER NOT NULL
  );
  CREATE INDEX window_marker ON call_window (marker);
  CREATE TABLE kept (owner TEXT NOT NULL, sha256 TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (owner, sha256));
`;

/** Opens the cache at `file`; where that is impossible, one in memory that ends with the thread. */
export function openCacheFile(file: string, maxBytes: number): Database {
  for (const place of [file, file, ":memory:"]) {
    try {
      return openAt(place, maxBytes);
    } catch (error) {
      if (place === ":memory:") throw error;
      if (isDamage(error)) discardCacheFile(file);
    }
  }
  throw new Error("a database in memory could not be opened");
}

/** Removes the file and what SQLite keeps beside it. Other processes go on with the one that they have open. */
export function discardCacheFile(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      unlinkSync(file + suffix);
    } catch {
      continue; // Missing, or not ours to remove: the next attempt to open it tells.
    }
  }
}

/** Whether the file is no cache, or one no more; `false` for a lock, a full disk or a missing permission. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return (
    error instanceof NotACache ||
    (code !== undefined &&
      /^SQLITE_(CORRUPT|NOTADB|ERROR|IOERR|CONSTRAINT|MISMATCH|FORMAT|SCHEMA)/.test(code))
  );
}

/** Whether `file` is no longer the one that was opened: it can be deleted at any time. */
export function identityOf(file: string): string | null {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null; // Missing, or out of reach: not the one that was opened.
  }
}

class NotACache extends Error {}

function openAt(place: string, maxBytes: number): Database {
  // Content of the user's files: for the user's eyes. SQLite gives the files beside it the same mode.
  if (place !== ":memory:") closeSync(openSync(place, "a", 0o600));
  const db = new Sqlite(place, { timeout: PATIENCE_MS });
  try {
    prepare(db, maxBytes);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(db: Database, maxBytes: number): void {
  db.pragma(`page_size = ${PAGE_BYTES}`);
  db.pragma("journal_mode = WAL");
  // After a power cut the file may be damaged: it is thrown away then, and every content is checked by its hash.
  db.pragma("synchronous = OFF");
  db.pragma("wal_autocheckpoint = 2000");
  db.pragma("journal_size_limit = 16777216");
  db.transaction(() => {
    const isNew = db.pragma("user_version", { simple: true }) === 0 && isEmpty(db);
    if (isNew) {
      db.exec(TABLES);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${FORMAT}`);
    }
  }).immediate();
  const isOurs =
    db.pragma("application_id", { simple: true }) === APPLICATION_ID &&
    db.pragma("user_version", { simple: true }) === FORMAT;
  if (!isOurs) throw new NotACache("this is no cache of scans");
  db.pragma(`max_page_count = ${Math.max(64, Math.floor(maxBytes / pageBytesOf(db)))}`);
}

function isEmpty(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

/** Size of a page of this file. */
export function pageBytesOf(db: Database): number {
  return Number(db.pragma("page_size", { simple: true }));
}
