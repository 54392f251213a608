/** The built command in a process of its own. */
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";

/** A line of JSON that the command wrote. */
export type Line = Readonly<Record<string, unknown>> & { readonly type?: string };

/** How the command ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its output, where each line of it is a JSON object. */
  readonly lines: readonly Line[];
}

/** A command that runs. */
export interface Running {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
}

interface Options {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As another user; only root may ask for that. */
  readonly uid?: number;
  readonly onLine?: (line: Line) => void;
  /** Sees all that the command has written to standard error so far. */
  readonly onStderr?: (text: string) => void;
}

/** Starts `node FILE ARGS` with nothing of this process's environment but its PATH. */
function startNode(file: string, args: readonly string[], options: Options = {}): Running {
  const { cwd, env = {}, uid, onLine, onStderr } = options;
  const child = spawn(process.execPath, [file, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { PATH: process.env["PATH"], NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  const lines: Line[] = [];
  child.stderr.on("data", (data: Buffer) => {
    stderr += data.toString();
    onStderr?.(stderr);
  });
  createInterface({ input: child.stdout }).on("line", (text) => {
    stdout += `${text}\n`;
    if (!text.startsWith("{")) return;
    const line = JSON.parse(text) as Line;
    lines.push(line);
    onLine?.(line);
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => resolve({ status, signal, stdout, stderr, lines }));
  });
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended };
}

/** The command of one build, on one home. */
export class Lemon {
  readonly home: string;
  readonly #file: string;
  readonly #options: Options;

  constructor(dist: string, home: string, options: Options = {}) {
    this.home = home;
    this.#file = path.join(dist, "cli/main.js");
    this.#options = options;
  }

  /** Starts a command and does not wait for it. */
  start(args: readonly string[], options: Options = {}): Running {
    return startNode(this.#file, ["--home", this.home, ...args], { ...this.#options, ...options });
  }

  /** Runs a command to its end. */
  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
  }
}
