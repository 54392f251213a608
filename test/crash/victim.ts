/** Runs a scenario in a process of its own, kills it, and lets another process go on. */
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Outcome } from "../../src/runtime/index.ts";
import type { Scenario } from "./scenarios.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** When the process kills itself: around its n-th append to the session, counted from 1. */
export interface KillPoint {
  readonly append: number;
  readonly moment: "before" | "after";
}

/** What driver.mjs is told. */
interface Plan {
  readonly dist: string;
  readonly home: string;
  readonly cwd: string;
  readonly log: string;
  readonly acks: string;
  readonly commits: string;
  readonly sessionId: string;
  readonly scenario: Scenario;
  readonly kill: KillPoint | null;
}

/** How a process ended. */
export interface Ending {
  readonly signal: NodeJS.Signals | null;
  readonly status: number | null;
  readonly outcome: Outcome | null;
  readonly stderr: string;
}

/** A fact that the log acknowledged to the process. */
export interface Acknowledged {
  readonly position: number;
  readonly stream: string;
  readonly type: string;
  readonly hash: string;
}

/**
 * The build as it is now, where nobody replaces it while processes load it. Inside node_modules, so that packages are
 * found from there.
 */
export function privateBuild(name: string): { readonly dist: string; readonly remove: () => void } {
  const cache = path.join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, `lemon-${name}-`));
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  cpSync(path.join(root, "package.json"), path.join(folder, "package.json"));
  return { dist: path.join(folder, "dist"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** One session and the folder that it lives in. */
export class Victim {
  readonly sessionId = "ses_victim";
  readonly folder: string;
  readonly log: string;
  readonly cwd: string;
  readonly scenario: Scenario;
  readonly #dist: string;

  constructor(dist: string, scenario: Scenario) {
    this.#dist = dist;
    this.scenario = scenario;
    this.folder = mkdtempSync(path.join(tmpdir(), "lemon-crash-"));
    this.cwd = path.join(this.folder, "work");
    this.log = path.join(this.folder, "log.db");
    mkdirSync(this.cwd);
  }

  /**
   * Starts or resumes the session and waits for the end of its process.
   *
   * @param options.onReady - called when the session is about to begin, with what can kill the process
   */
  async run(
    options: { readonly kill?: KillPoint; readonly onReady?: (kill: () => void) => void } = {},
  ): Promise<Ending> {
    const child = spawn(
      process.execPath,
      [path.join(import.meta.dirname, "driver.mjs"), JSON.stringify(this.#plan(options.kill ?? null))],
      { stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"], HOME: this.folder } },
    );
    return endingOf(child, options.onReady);
  }

  /** Everything that the log acknowledged, over all processes. */
  acknowledged(): Acknowledged[] {
    return linesOf(path.join(this.folder, "acks")).map((line) => JSON.parse(line) as Acknowledged);
  }

  /** The types of each commit to the session, in order. */
  commits(): string[][] {
    return linesOf(path.join(this.folder, "commits")).map((line) => JSON.parse(line) as string[]);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #plan(kill: KillPoint | null): Plan {
    const { folder, cwd, log, sessionId, scenario } = this;
    const [acks, commits] = [path.join(folder, "acks"), path.join(folder, "commits")];
    return { dist: this.#dist, home: folder, cwd, log, acks, commits, sessionId, scenario, kill };
  }
}

/** Whole lines of a file; none when it is not there. */
export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

async function endingOf(
  child: ChildProcess,
  onReady: (kill: () => void) => void = () => undefined,
): Promise<Ending> {
  let stderr = "";
  let outcome: Outcome | null = null;
  child.stderr?.on("data", (data: Buffer) => (stderr += data.toString()));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    if (line === "ready") onReady(() => void child.kill("SIGKILL"));
    else outcome = JSON.parse(line) as Outcome | null;
  });
  // The commands of a killed process hold no pipe of ours, so this is its own end.
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, name) => resolve([code, name]));
  });
  return { status, signal, outcome, stderr };
}
