/**
 * What the system knows of running processes. Linux only (`/proc`); elsewhere every answer is "not known".
 */
import { readdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { codeOf } from "./file-errors.ts";

/** One row of the process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks after boot. */
  readonly startTime: number;
  /** Ended, and only waits for its parent to ask: nothing runs any more. */
  readonly isZombie: boolean;
}

/** A process by more than its id, which is used again. `null` where the system does not say. */
export interface ProcessMark {
  readonly pid: number;
  readonly startTime: number | null;
  readonly bootId: string | null;
  readonly host: string;
}

/** The row of `pid`; `undefined` if there is none or the system has no table. */
export async function processRow(pid: number): Promise<ProcessRow | undefined> {
  const text = await contentsOf(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(pid, text.toString("latin1"));
}

/** Reads a line of `/proc/<pid>/stat` (proc(5)). The name in it may hold blanks and `)`, so fields count from the last one. */
export function parseStat(pid: number, text: string): ProcessRow | undefined {
  const fields = text
    .slice(text.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
  const [state, , group, session] = fields;
  const startTime = Number(fields[19]);
  if (state === undefined || !Number.isFinite(startTime)) return undefined;
  return {
    pid,
    group: Number(group),
    session: Number(session),
    startTime,
    isZombie: state === "Z" || state === "X",
  };
}

/** All rows that are no zombies. */
export async function livingProcesses(): Promise<ProcessRow[]> {
  const rows = await Promise.all((await processIds()).map(processRow));
  return rows.filter((row) => row !== undefined && !row.isZombie) as ProcessRow[];
}

/** The living processes whose environment holds exactly `name=value`. Those of other users can't be seen. */
export async function processesWithVariable(name: string, value: string): Promise<ProcessRow[]> {
  const wanted = `${name}=${value}`;
  const rows = await Promise.all(
    (await processIds()).map(async (pid) => {
      const environment = await contentsOf(`/proc/${pid}/environ`);
      return environment?.toString("utf8").split("\0").includes(wanted) === true
        ? processRow(pid)
        : undefined;
    }),
  );
  return rows.filter((row) => row !== undefined && !row.isZombie) as ProcessRow[];
}

/** Whether the system has a process table that can be read at all. */
export async function hasProcessTable(): Promise<boolean> {
  return (await processRow(process.pid)) !== undefined;
}

let boot: Promise<string | null> | undefined;

/** Identity of this start of the system. */
export function bootId(): Promise<string | null> {
  boot ??= contentsOf("/proc/sys/kernel/random/boot_id").then(
    (text) => text?.toString("latin1").trim() ?? null,
  );
  return boot;
}

/** The mark of a process that runs now. */
export async function markOf(pid: number): Promise<ProcessMark> {
  const [row, currentBoot] = await Promise.all([processRow(pid), bootId()]);
  return { pid, startTime: row?.startTime ?? null, bootId: currentBoot, host: hostname() };
}

async function processIds(): Promise<number[]> {
  try {
    return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** A process may end between any two looks at it, and those of other users are closed. */
async function contentsOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
