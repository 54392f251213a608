/** Who has a window open. A process that is gone leaves its windows behind. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "../file-errors.ts";
import { parseStat } from "../process-table.ts";

/** A row of `owner`. */
export interface OwnerRow {
  /** Of one scanner. */
  readonly id: string;
  readonly pid: number;
  readonly start_time: number | null;
  readonly host: string;
  readonly boot_id: string | null;
}

/** The row of a scanner in this process. */
export function ownerRow(id: string): OwnerRow {
  const start_time = startTimeOf(process.pid);
  return { id, pid: process.pid, start_time, host: hostname(), boot_id: bootId() };
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
