/**
 * Names of lease owners, and whether the process behind one still runs.
 *
 * Process ids are used again and start times repeat after a reboot, and the same id means different processes in
 * two containers that share a kernel and a host name. So an owner carries all of them.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The process that holds a lease. */
export interface LeaseOwner {
  readonly pid: number;
  /** Clock ticks between boot and the start of the process; empty where /proc does not exist. */
  readonly startTime: string;
  /** Changes with each boot; empty where /proc does not exist. */
  readonly bootId: string;
  /** Number of the namespace in which `pid` counts. */
  readonly pidNamespace: string;
  readonly host: string;
}

/** The owner name of this process, `pid:startTime:bootId:pidNamespace:host`. */
export function leaseOwner(): string {
  const { pid, startTime, bootId, pidNamespace, host } = thisProcess();
  return [pid, startTime, bootId, pidNamespace, host].join(":");
}

/** The process in an owner name; `null` when the name was not made by `leaseOwner`. */
export function parseLeaseOwner(owner: string): LeaseOwner | null {
  const parts = /^(\d+):(\d*):([\da-f-]*):(\d*):(.+)$/s.exec(owner);
  if (parts === null) return null;
  const [, pid = "", startTime = "", bootId = "", pidNamespace = "", host = ""] = parts;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host };
}

/**
 * True when the owner ran on this host and certainly runs no more. False for anything that can't be known from
 * here: another host, another container, a system without /proc; then only time counts.
 */
export function isOwnerGone(owner: string): boolean {
  const then = parseLeaseOwner(owner);
  const now = thisProcess();
  if (then === null || then.host !== now.host || then.bootId === "" || now.bootId === "") return false;
  if (then.bootId !== now.bootId) return true; // the host was started again since
  if (then.pidNamespace !== now.pidNamespace) return false;
  const stat = readStat(then.pid);
  // A mount with `hidepid` hides the processes of other users: without an entry, the signal decides.
  if (stat === null) return !acceptsSignals(then.pid);
  return stat.state === "Z" || stat.state === "X" || stat.startTime !== then.startTime;
}

let self: LeaseOwner | undefined;

/** Read once: none of it changes while the process runs. */
function thisProcess(): LeaseOwner {
  self ??= {
    pid: process.pid,
    startTime: readStat(process.pid)?.startTime ?? "",
    bootId: readIfThere("/proc/sys/kernel/random/boot_id").trim(),
    pidNamespace: pidNamespace(),
    host: hostname() || "localhost",
  };
  return self;
}

interface ProcessStat {
  readonly state: string;
  readonly startTime: string;
}

/** `state` and `starttime` of proc_pid_stat(5), fields 3 and 22. */
function readStat(pid: number): ProcessStat | null {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === "") return null;
  // Field 2, the command's name, may hold spaces and parentheses: count from behind the last one.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startTime: fields[19] ?? "" };
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return ""; // no /proc, or namespaces not compiled in: one namespace then
  }
}

/** Empty when the file is not there, or its process has ended while it was read. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function acceptsSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
