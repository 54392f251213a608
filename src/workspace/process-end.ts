/**
 * Ends what a command has started: its whole session, and what left the session but kept the mark in its environment.
 * docs/reference/processes.md says what is found where.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { hostname } from "node:os";
import { codeOf } from "./file-errors.ts";
import {
  bootId,
  hasProcessTable,
  livingProcesses,
  type ProcessMark,
  type ProcessRow,
  processesWithVariable,
  processRow,
} from "./process-table.ts";

/** The variable in a command's environment that tells which call started it. */
export const callVariable = "LEMON_CALL";

/** From the polite signal to the final one. */
const defaultGraceMs = 2_000;

const pollMs = 25;

/**
 * - `ended`: something ran and runs no more
 * - `gone`: nothing of it was left
 * - `other_host`: it ran on another machine, which only that machine can judge
 * - `unknown`: this system can't tell the process from a later one of the same id, so nothing was touched
 */
export type EndOutcome = "ended" | "gone" | "other_host" | "unknown";

/** `graceMs`: from TERM to KILL. */
export interface EndOptions {
  readonly graceMs?: number;
}

/**
 * Ends a command that an earlier process of ours started, and everything in its session: TERM, then KILL.
 *
 * The leader counts only if its start time and the boot are the recorded ones. Where the leader is gone but members of
 * its session remain, they are ended too: the system gives an id to nobody else while it is that of a session.
 */
export async function endProcessGroup(leader: ProcessMark, options: EndOptions = {}): Promise<EndOutcome> {
  if (leader.host !== hostname()) return "other_host";
  const currentBoot = await bootId();
  if (leader.bootId !== null && currentBoot !== null && leader.bootId !== currentBoot) return "gone";
  if (leader.startTime === null || !(await hasProcessTable())) return "unknown";
  const row = await processRow(leader.pid);
  if (row !== undefined && row.startTime !== leader.startTime) return "gone";
  return endAll(() => sessionMembers(leader.pid), options);
}

/** Ends every process that carries `LEMON_CALL=<callMarker>`, wherever it went. */
export async function endMarked(callMarker: string, options: EndOptions = {}): Promise<EndOutcome> {
  if (!(await hasProcessTable())) return "unknown";
  return endAll(() => processesWithVariable(callVariable, callMarker), options);
}

/** Ends a command that this process started and has not reaped: session and marked processes, with one grace for both. */
export async function endCommand(
  pid: number,
  callMarker: string,
  options: EndOptions = {},
): Promise<EndOutcome> {
  if (!(await hasProcessTable())) return endGroupBlindly(pid, options);
  return endAll(async () => {
    const [members, marked] = await Promise.all([
      sessionMembers(pid),
      processesWithVariable(callVariable, callMarker),
    ]);
    return [...members, ...marked.filter((row) => !members.some((member) => member.pid === row.pid))];
  }, options);
}

/**
 * Whether something runs that a command has started: in its session, or with its mark. `false` where the system can't tell.
 *
 * @param leader - `null`: not known, or on another machine
 */
export async function isCommandRunning(leader: ProcessMark | null, callMarker: string): Promise<boolean> {
  if (!(await hasProcessTable())) return false;
  const [members, marked] = await Promise.all([
    leader === null || leader.host !== hostname() ? [] : sessionMembers(leader.pid),
    processesWithVariable(callVariable, callMarker),
  ]);
  return [...members, ...marked].some(isNotUs);
}

/** Session, not group: a shell with job control gives each of its jobs a group. */
async function sessionMembers(session: number): Promise<ProcessRow[]> {
  return (await livingProcesses()).filter((row) => row.session === session);
}

/** Looks again at each step, because what is being ended may still start others. */
async function endAll(
  find: () => Promise<ProcessRow[]>,
  { graceMs = defaultGraceMs }: EndOptions,
): Promise<EndOutcome> {
  let found = (await find()).filter(isNotUs);
  if (found.length === 0) return "gone";
  const told = new Set<number>();
  const deadline = performance.now() + graceMs;
  while (found.length > 0 && performance.now() < deadline) {
    for (const { pid } of found) {
      if (!told.has(pid)) signal(pid, "SIGTERM");
      told.add(pid);
    }
    await sleep(pollMs);
    found = (await find()).filter(isNotUs);
  }
  while (found.length > 0) {
    for (const { pid } of found) signal(pid, "SIGKILL");
    await sleep(pollMs);
    found = (await find()).filter(isNotUs);
  }
  return "ended";
}

/** A runtime that itself runs inside a command carries that command's mark. */
function isNotUs({ pid }: ProcessRow): boolean {
  return pid !== process.pid;
}

async function endGroupBlindly(group: number, { graceMs = defaultGraceMs }: EndOptions): Promise<EndOutcome> {
  if (!signal(-group, "SIGTERM")) return "gone";
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && signal(-group, 0)) await sleep(pollMs);
  signal(-group, "SIGKILL");
  return "ended";
}

/** @returns whether there was anybody to tell */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    // EPERM: it became another user's (sudo); it is there, but not ours to end.
    if (codeOf(error) === "ESRCH" || codeOf(error) === "EPERM") return false;
    throw error;
  }
}
