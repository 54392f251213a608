/** The child processes of one worker, which would outlive it: the host ends those that still run. */
import { readFileSync } from "node:fs";
import type { Clock } from "../../ports.ts";

/** Milliseconds between the request to end and the end. */
const graceMs = 1000;

/** Knows children by id and, where the system tells it, by their start: an id alone may be someone else's by now. */
export class ChildProcesses {
  readonly #clock: Clock;
  readonly #running = new Map<number, string | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  started(pid: number): void {
    this.#running.set(pid, startOf(pid));
  }

  ended(pid: number): void {
    this.#running.delete(pid);
  }

  /** Asks all to end, and ends those that have not after a second. */
  endAll(): void {
    const left = [...this.#running];
    this.#running.clear();
    const asked = left.filter(([pid, start]) => signal(pid, start, "SIGTERM"));
    if (asked.length === 0) return;
    this.#clock.setTimer(graceMs, () => {
      for (const [pid, start] of asked) signal(pid, start, "SIGKILL");
    });
  }
}

function signal(pid: number, start: string | undefined, name: "SIGTERM" | "SIGKILL"): boolean {
  if (pid <= 1 || startOf(pid) !== start) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false; // it has ended, or is another user's now
  }
}

/** State and start time of a process, from `/proc`; `undefined` where there is no such file, `gone` for one that ended. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "gone" : fields[19]; // field 22 of the line
  } catch {
    return process.platform === "linux" ? "gone" : undefined;
  }
}
