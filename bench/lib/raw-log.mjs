/**
 * The floor of everything that writes: better-sqlite3 alone, with the log's table and unique index and the same
 * durability, one prepared statement a row, one transaction a commit. No triggers, checks, hashes or promises.
 */
import Sqlite from "better-sqlite3";

const TABLE = `
  CREATE TABLE facts (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
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
  ) STRICT`;

/** As long as a real one. */
const SOME_HASH = "0".repeat(64);

export class RawLog {
  #db;
  #begin;
  #insert;
  #commit;
  #position = 0;

  constructor(file, durability) {
    this.#db = new Sqlite(file);
    this.#db.pragma("journal_mode = WAL");
    this.#db.pragma(`synchronous = ${durability === "strict" ? "FULL" : "NORMAL"}`);
    this.#db.exec(TABLE);
    this.#begin = this.#db.prepare("BEGIN IMMEDIATE");
    this.#insert = this.#db.prepare(`INSERT INTO facts VALUES (${Array(12).fill("?").join(", ")})`);
    this.#commit = this.#db.prepare("COMMIT");
  }

  /** Facts of one stream, in one transaction. Their data is made text here, as anyone who stores it must. */
  append(stream, version, facts) {
    this.#begin.run();
    let next = version;
    for (const { type, at, kind, actor, causation, correlation, data } of facts) {
      next += 1;
      const text = JSON.stringify(data);
      this.#row([stream, next, type, 1, at, kind, actor, causation, correlation, text, SOME_HASH]);
    }
    this.#commit.run();
  }

  /** Whole rows but for their position, in one transaction. */
  commit(rows) {
    this.#begin.run();
    for (const row of rows) this.#row(row);
    this.#commit.run();
  }

  close() {
    this.#db.close();
  }

  #row(row) {
    this.#position += 1;
    this.#insert.run(this.#position, ...row);
  }
}

/** The floor of everything that reads: a scan of a stream's rows in order, each column taken, the data parsed. */
export function rawScan(file, stream) {
  const db = new Sqlite(file, { readonly: true });
  const id = db.prepare("SELECT id FROM streams WHERE name = ?").pluck().get(stream);
  const rows = db.prepare("SELECT * FROM facts WHERE stream = ? ORDER BY version").raw();
  return {
    /** @returns how many rows there are, and the characters of their data */
    run() {
      let facts = 0;
      let characters = 0;
      for (const row of rows.iterate(id)) {
        // Kept alive as a fold would keep it: a parse whose result is dropped might be optimised away.
        if (JSON.parse(row[10]) !== null) facts += 1;
        characters += row[10].length;
      }
      return { facts, characters };
    },
    close: () => db.close(),
  };
}
