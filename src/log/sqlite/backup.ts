/** Copying a log while it is in use. */
import { existsSync, linkSync, rmSync } from "node:fs";
import path from "node:path";
import { LogUnavailableError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { typedFault } from "./faults.ts";
import { headFileOf, writeHead, type LogHead } from "./head.ts";
import { openFile, touchPrivate } from "./open-file.ts";

/**
 * Copies the log to `file` by SQLite's online backup. The name appears when the copy is whole, its head file next.
 *
 * @throws LogUnavailableError when something has that name already
 */
export async function backup({ db, location }: Connection, file: string): Promise<void> {
  const target = path.resolve(file);
  for (const taken of [target, headFileOf(target)]) {
    if (existsSync(taken))
      throw new LogUnavailableError("already_exists", `${taken} exists: choose another name`);
  }
  const partial = `${target}.${process.pid}.partial`;
  try {
    touchPrivate(partial);
    await db.backup(partial);
    const head = lastFact(partial);
    // A link, unlike a rename, takes no name that somebody else has taken meanwhile.
    linkSync(partial, target);
    if (head !== null) writeHead(headFileOf(target), head);
  } catch (error) {
    throw typedFault(backupFault(error, target), location);
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
  }
}

/** What the copy holds, which may be more than what the log held when the backup began. */
function lastFact(file: string): LogHead | null {
  const copy = openFile(file, { readOnly: false });
  try {
    const last = copy
      .prepare<[], LogHead>(
        `SELECT position, name AS stream, version, hash FROM facts JOIN streams ON streams.id = facts.stream
         ORDER BY position DESC LIMIT 1`,
      )
      .get();
    return last ?? null;
  } finally {
    copy.close();
  }
}

function backupFault(error: unknown, target: string): unknown {
  if ((error as NodeJS.ErrnoException).code === "EEXIST") {
    return new LogUnavailableError("already_exists", `${target} exists: choose another name`, error);
  }
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return error;
  return new LogUnavailableError(
    "no_directory",
    `${path.dirname(target)} does not exist: make it first`,
    error,
  );
}
