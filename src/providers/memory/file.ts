/** The file of the built-in memory: opened when it is needed, and never touched if it is somebody else's. */
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type BetterSqlite from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { LemonError } from "../../errors.ts";

/** The file holds no memories that this version can read. Code `LEMON_MEMORY_UNAVAILABLE`. */
export class MemoryUnavailableError extends LemonError {
  constructor(file: string, why: string) {
    super("memory_unavailable", `${file} can't be used as memory: ${why}; it was not touched`);
  }
}

/** "lmem" in the header's application id, https://sqlite.org/fileformat.html#application_id */
const APPLICATION_ID = 0x6c_6d_65_6d;
const FORMAT_VERSION = 1;

/** How long one attempt may keep the thread waiting for another process; the caller tries again. */
const PATIENCE_MS = 50;

const schema = `
  CREATE TABLE memory (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at REAL NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE memory_words USING fts5(
    content, content = 'memory', content_rowid = 'key', tokenize = 'unicode61'
  );
  CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN
    INSERT INTO memory_words (rowid, content) VALUES (new.key, new.content);
  END;
  CREATE TRIGGER memory_changed AFTER UPDATE ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, content) VALUES ('delete', old.key, old.content);
    INSERT INTO memory_words (rowid, content) VALUES (new.key, new.content);
  END;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT_VERSION};
`;

/** What tells the file from another one of its name; `null` when there is none. */
export function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

/**
 * Opens the file, and makes it, for its owner alone, when it is missing.
 *
 * @throws MemoryUnavailableError, or what SQLite and the file system say
 */
export function openMemoryFile(file: string): Database {
  if (inodeOf(file) === null) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "a", 0o600));
  } else if (!statSync(file).isFile()) {
    // Opening a pipe would wait for its other end, for ever.
    throw new MemoryUnavailableError(file, "it is not a regular file");
  }
  const Sqlite = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite;
  const db = new Sqlite(file, { timeout: PATIENCE_MS });
  try {
    // Another process may be making it at the same time: looked at again under its lock.
    if (isBlank(db)) db.transaction(() => isBlank(db) && db.exec(schema)).immediate();
    assertOurs(db, file);
    // Kept in the file, so it is set once; a file that can't be written can then still be read.
    if (db.pragma("journal_mode", { simple: true }) !== "wal") db.pragma("journal_mode = WAL");
    // With a WAL, a power cut can take the newest memories, and nothing is damaged.
    db.pragma("synchronous = NORMAL");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isBlank(db: Database): boolean {
  const { count } = db.prepare("SELECT count(*) AS count FROM sqlite_schema").get() as { count: number };
  return count === 0 && db.pragma("application_id", { simple: true }) === 0;
}

function assertOurs(db: Database, file: string): void {
  if (db.pragma("application_id", { simple: true }) !== APPLICATION_ID)
    throw new MemoryUnavailableError(file, "it is a database of another program");
  if (Number(db.pragma("user_version", { simple: true })) > FORMAT_VERSION)
    throw new MemoryUnavailableError(file, "a newer version of lemon-runtime wrote it");
}
