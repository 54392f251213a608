/** One open database, and the one place where its faults become typed errors. */
import type { Database } from "better-sqlite3";
import type { Durability } from "../port.ts";
import { typedFault } from "./faults.ts";

/** What a part of the engine needs to reach its file. */
export interface Connection {
  readonly db: Database;
  /** Absolute path, or `:memory:`; for messages and for the files beside it. */
  readonly location: string;
  readonly readOnly: boolean;
}

/**
 * Runs what touches the file.
 *
 * @throws a `LemonError` in place of any fault of SQLite
 */
export function guarded<Result>(connection: Connection, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw typedFault(error, connection.location);
  }
}

/** `PRAGMA synchronous` of each durability, https://sqlite.org/pragma.html#pragma_synchronous. */
const SYNCHRONOUS = { strict: 2, relaxed: 1 } as const;

/**
 * Sets when a commit waits for the disk. It has no effect inside a transaction, so it is read back.
 *
 * @throws Error when SQLite did not take it
 */
export function setDurability(db: Database, durability: Durability): void {
  const level = SYNCHRONOUS[durability];
  db.pragma(`synchronous = ${level}`);
  const actual: unknown = db.pragma("synchronous", { simple: true });
  if (actual !== level) throw new Error(`SQLite has synchronous = ${String(actual)}, ${level} was asked for`);
}
