/** Who has a window open. A process that is gone leaves its windows behind. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Database } from "better-sqlite3";
import { codeOf } from "../file-errors.ts";
import { parseStat } from "../process-table.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Nobody asks for a window of a dead process after this. */
const WINDOW_MS = 7 * DAY_MS;
/** A workspace that nobody has scanned since. */
const ROOT_MS = 30 * DAY_MS;

/** A row of `owner`. */
export interface OwnerRow {
  /** Of one scanner. */
  readonly id: string;
  readonly pid: number;
  readonly start_time: number | null;
  readonly host: string;
  readonly boot_id: string | null;
}

/**
 * Writes a scanner of this process among the owners, and clears up after those that are gone. In a transaction of the
 * caller's.
 *
 * @param id - of the scanner
 * @param now - epoch milliseconds
 */
export function takePlace(db: Database, id: string, now: number): void {
  db.prepare("INSERT OR REPLACE INTO owner (id, pid, start_time, host, boot_id) VALUES (?, ?, ?, ?, ?)").run(
    id,
    process.pid,
    startTimeOf(process.pid),
    hostname(),
    bootId(),
  );
  for (const owner of db.prepare("SELECT * FROM owner").all() as OwnerRow[])
    // the table's columns
    if (!isOwnerAlive(owner)) db.prepare("DELETE FROM owner WHERE id = ?").run(owner.id);
  db.exec("DELETE FROM kept WHERE owner NOT IN (SELECT id FROM owner)");
  db.prepare("DELETE FROM call_window WHERE opened_at < ? AND owner NOT IN (SELECT id FROM owner)").run(
    now - WINDOW_MS,
  );
  const idle = "used < ? AND id NOT IN (SELECT root FROM call_window)";
  db.prepare(`DELETE FROM entry WHERE root IN (SELECT id FROM root WHERE ${idle})`).run(now - ROOT_MS);
  db.prepare(`DELETE FROM root WHERE ${idle}`).run(now - ROOT_MS);
}

/** Whether the process still runs, as far as this host can tell. */
export function isOwnerAlive(owner: OwnerRow): boolean {
  if (owner.host !== hostname()) return true;
  if (owner.boot_id !== bootId()) return false;
  if (owner.start_time !== null) return startTimeOf(owner.pid) === owner.start_time;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function startTimeOf(pid: number): number | null {
  const row = parseStat(pid, contentsOf(`/proc/${pid}/stat`));
  return row === undefined || row.isZombie ? null : row.startTime;
}

function bootId(): string | null {
  const text = contentsOf("/proc/sys/kernel/random/boot_id").trim();
  return text === "" ? null : text;
}

/** Empty without `/proc`, and for a process that is gone. */
function contentsOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
