/** What a worker may do to the process that it shares with its host. */
import { readFileSync } from "node:fs";

type Refused = (...args: unknown[]) => never;

/** Refuses signals to the host, its parent or its group, and the old door to internals, where a wrong argument is fatal. */
export function guardProcess(): void {
  const { pid, ppid } = process;
  const group = groupOf(pid);
  const kill = process.kill.bind(process);
  process.kill = (target, signal) => {
    const number = Number(target);
    const isHost = number === pid || number === ppid || number === 0 || number === -1;
    const isGroup = number === -pid || number === -ppid || (group !== undefined && number === -group);
    if (!isHost && !isGroup) return kill(target, signal);
    if (signal === 0 && !isGroup) return true; // asks only whether it is there
    throw Object.assign(new Error("kill EPERM: an extension may not signal its host"), {
      code: "EPERM",
      syscall: "kill",
      errno: -1,
    });
  };
  const refused: Refused = () => {
    throw new Error("process.binding is not available inside an extension");
  };
  for (const name of ["binding", "_linkedBinding"])
    Object.defineProperty(process, name, { value: refused, configurable: true, writable: true });
}

function groupOf(pid: number): number | undefined {
  try {
    // Fields after the name, which may hold blanks and brackets: state, parent, group.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
  } catch {
    return undefined; // no such file on this system: its group is mostly its own id, which is refused too
  }
}
