/** The built command in a child process, and the folders that a test of it needs. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, vi } from "vitest";

// Several processes a test, on a machine that may have other work: long, so that only a hang runs into it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folders: string[] = [];
const children = new Set<ChildProcess>();

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const main = path.resolve(import.meta.dirname, "../../../dist/cli/main.js");

/** How a command ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** Given on standard input, which then ends. Default: nothing. */
  readonly stdin?: string | Uint8Array;
  /** Standard input is a pipe that the test writes to. */
  readonly pipe?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
}

/** A command that runs. */
export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has printed so far. */
  stdout(): string;
  /** Resolves when standard output holds the text. @throws when the command ends before */
  printed(text: string): Promise<void>;
}

/** A folder for one test, with a home beside a working directory. */
export class Place {
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.home = path.join(folder, "home");
    this.cwd = path.join(folder, "work");
  }

  static async make(): Promise<Place> {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-e2e-")));
    folders.push(folder);
    await chmod(folder, 0o755);
    const place = new Place(folder);
    await mkdir(place.cwd);
    return place;
  }

  get log(): string {
    return path.join(this.home, "log.db");
  }

  /** Writes a script and gives its path. */
  async script(turns: readonly object[], name = "script.json"): Promise<string> {
    const file = path.join(this.folder, name);
    await writeFile(file, JSON.stringify({ turns }));
    return file;
  }

  /** Starts `lemon` with this home, in this working directory. */
  start(args: readonly string[], options: StartOptions = {}): Running {
    return start([...args, "--home", this.home], { cwd: this.cwd, ...options });
  }

  /** Runs it to its end. */
  lemon(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** Runs it with `--json` and parses each line. */
  async json(...args: readonly string[]): Promise<{ status: number | null; lines: readonly Json[] }> {
    const { status, stdout } = await this.lemon(...args, "--json");
    return { status, lines: parseLines(stdout) };
  }
}

/** A document whose shape is what a test looks at. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Readonly<Record<string, any>>;

/** JSON Lines. */
export function parseLines(text: string): Json[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Json);
}

/** Starts `lemon` without a home of its own. */
export function start(args: readonly string[], options: StartOptions = {}): Running {
  const { stdin, pipe = false, env = {}, cwd, uid } = options;
  const { LEMON_HOME: _home, NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    // No copies of checkpoints in the folder for temporary files of this machine.
    env: { ...inherited, LEMON_CHECKPOINTS_EXPORT: "false", ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: [stdin === undefined && !pipe ? "ignore" : "pipe", "pipe", "pipe"],
  });
  children.add(child);
  child.stdin?.on("error", () => undefined); // a command that refuses its flags does not read
  if (stdin !== undefined) child.stdin?.end(stdin);
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    look();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => {
      children.delete(child);
      resolve({ status, signal, stdout, stderr });
    });
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!stdout.includes(text)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      void ended.then(() => reject(new Error(`ended without ${text}:\n${stdout}\n${stderr}`)));
    });
  return { process: child, ended, stdout: () => stdout, printed };
}

/** Resolves when the file exists. @throws when the command that should make it ends before */
export async function appeared(file: string, by: Running): Promise<void> {
  const outcome: { ended: Ended | null } = { ended: null };
  void by.ended.then((ended) => (outcome.ended = ended));
  while (!existsSync(file)) {
    if (outcome.ended !== null) throw new Error(`ended without ${file}: ${JSON.stringify(outcome.ended)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A command of the shell that says that it has begun and goes on once it is let. */
export function gated(name: string): {
  readonly command: string;
  readonly begun: string;
  readonly gate: string;
} {
  return {
    command: `echo begun >> ${name}.log; while [ ! -e ${name}.gate ]; do sleep 0.02; done; echo ended >> ${name}.log`,
    begun: `${name}.log`,
    gate: `${name}.gate`,
  };
}
