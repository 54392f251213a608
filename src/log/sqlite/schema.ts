/** The tables of a log file. docs/reference/log-format.md explains them; a change needs a new FORMAT_VERSION. */
import type { Database } from "better-sqlite3";

/** `LEMN` in ASCII, in the `application_id` of the file's header: this SQLite database is one of our logs. */
export const APPLICATION_ID = 0x4c_45_4d_4e;

/** Of the tables and of the hash chain, in the header's `user_version`. */
export const FORMAT_VERSION = 3;

/** Older ones lack the table of jobs. What came with version 3 are facts whose data was left out: no table has changed. */
export const FIRST_FORMAT_WITH_JOBS = 2;

/**
 * A stream has an integer in `facts`, so that its unique index stays small; its head is found in that index, so
 * that an append writes one row and no other. Only the engine may number facts, and only one after the other: the
 * trigger on INSERT holds that, and refuses OR REPLACE, which would walk past the triggers on DELETE.
 * It fails rather than aborts: for a statement that may abort, SQLite keeps a journal of its own at each insert.
 * Each table and each index takes a page, so a table that is only found by its key is WITHOUT ROWID: it is its own index.
 */
const TABLES = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE facts (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES streams (id),
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    causation INTEGER,
    correlation TEXT,
    data TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (stream, version)
  ) STRICT;

  CREATE TRIGGER facts_are_numbered BEFORE INSERT ON facts
  WHEN NEW.position <> (SELECT ifnull(max(position), 0) + 1 FROM facts)
    OR NEW.version <> (SELECT ifnull(max(version), 0) + 1 FROM facts WHERE stream = NEW.stream)
  BEGIN SELECT raise(FAIL, 'facts are numbered one after the other and never replaced'); END;

  CREATE TRIGGER facts_never_change BEFORE UPDATE ON facts
  BEGIN SELECT raise(ABORT, 'facts are never changed'); END;

  CREATE TRIGGER facts_stay BEFORE DELETE ON facts
  BEGIN SELECT raise(ABORT, 'facts are never deleted'); END;

  CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE snapshots (
    stream TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    writer TEXT NOT NULL,
    text TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (stream, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    fence INTEGER NOT NULL,
    ttl_ms INTEGER NOT NULL,
    since INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leaders (
    stream TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    fence INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** `holder`, `fence`, `owner` and `renewed_at` are of the lease under which the job is done, and NULL together while it waits. */
const JOBS = `
  CREATE TABLE jobs (
    queue TEXT NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    bound TEXT,
    holder TEXT,
    fence INTEGER,
    owner TEXT,
    renewed_at INTEGER,
    is_ending INTEGER NOT NULL,
    PRIMARY KEY (queue, key)
  ) STRICT, WITHOUT ROWID;
`;

/** What the header says of the file. */
export interface Format {
  readonly applicationId: number;
  readonly version: number;
}

/** The format as SQLite sees it, the write-ahead log included. */
export function formatOf(db: Database): Format {
  return {
    applicationId: Number(db.pragma("application_id", { simple: true })),
    version: Number(db.pragma("user_version", { simple: true })),
  };
}

/** True for a database in which nothing was ever made. */
export function isBlank(db: Database): boolean {
  return (
    db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined && formatOf(db).applicationId === 0
  );
}

/**
 * Makes the tables unless another process has just made them. One transaction, and before the file is switched to
 * WAL: a kill leaves a blank file or a whole log, and the header in the main file names the format from the first.
 */
export function createTables(db: Database): void {
  db.transaction(() => {
    if (!isBlank(db)) return;
    db.exec(TABLES);
    db.exec(JOBS);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${FORMAT_VERSION}`);
  }).exclusive();
}

/**
 * Gives a log of an older format what it lacks, unless another process has just done that. One transaction: a kill or a
 * full disk leaves the log as it was.
 */
export function migrate(db: Database): void {
  if (formatOf(db).version >= FORMAT_VERSION) return;
  db.transaction(() => {
    if (formatOf(db).version < FIRST_FORMAT_WITH_JOBS) db.exec(JOBS);
    if (formatOf(db).version < FORMAT_VERSION) db.pragma(`user_version = ${FORMAT_VERSION}`);
  }).immediate();
}
