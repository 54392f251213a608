/**
 * The process that works on runs which outlive the command that asked for them: one per log, started when there is
 * something to do. docs/reference/background-runs.md, "The worker"
 */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { builtFile } from "../../extensions/index.ts";
import { WORKER_LEASE } from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Logger } from "../../ports.ts";

/** Of a file that holds what the worker prints: its owner's alone. */
const PRIVATE = 0o600;

/** It waits most of its life, and its runs mostly wait for others: it is to be small rather than fast. */
const SMALL = ["--optimize-for-size", "--max-semi-space-size=2"];

/** Where a worker is to work. */
export interface WorkerPlace {
  readonly log: EventLog;
  readonly home: string;
  /** Path of the log. */
  readonly location: string;
  /** With which the worker runs commands and finds keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/** Starts the worker of a log where none runs. */
export class WorkerProcess {
  readonly #place: WorkerPlace;
  /** Ours, that may not have said yet that it is there. */
  #started: ChildProcess | null = null;

  constructor(place: WorkerPlace) {
    this.#place = place;
  }

  /** Makes sure that one runs. Two that are started at once do no harm: the second ends itself. */
  async ensure(): Promise<void> {
    if (this.#started !== null) return;
    if ((await this.#place.log.holderOf(WORKER_LEASE)) !== null) return;
    this.#start();
  }

  #start(): void {
    const { home, location, env, logger } = this.#place;
    const output = openSync(path.join(home, "worker.log"), "a", PRIVATE);
    try {
      const command = [...SMALL, builtFile("../cli/main.js"), "--home", home, "--log", location, "worker"];
      const child = spawn(process.execPath, command, {
        // It outlives this process and its terminal, and holds no folder of the user's.
        detached: true,
        cwd: home,
        env,
        stdio: ["ignore", output, output],
      });
      this.#started = child;
      child.on("error", (error: NodeJS.ErrnoException) => {
        this.#started = null;
        logger.error(
          { code: error.code ?? "unknown" },
          "the worker for background runs could not be started",
        );
      });
      child.on("exit", () => (this.#started = null));
      child.unref();
    } finally {
      closeSync(output);
    }
  }
}
