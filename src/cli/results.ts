/**
 * Where results are written: standard output, or a descriptor that nobody else knows of. An extension can reach what is
 * called standard output in ways that no wrap stops; where that is a protocol, the command runs itself once more with
 * it bent to standard error, and speaks on descriptor 3. docs/reference/cli.md, "Standard output"
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import type { Interrupts } from "./interrupts.ts";

/** Set for the inner command, and taken out of its environment before anybody else can see it. */
const VARIABLE = "LEMON_RESULTS_ON_3";
const PRIVATE = 3;

let privately: Writable | null = null;
if (process.env[VARIABLE] === "1" && process.send !== undefined) {
  delete process.env[VARIABLE];
  privately = createWriteStream("", { fd: PRIVATE });
}

/** The stream of results. */
export function results(): Writable {
  return privately ?? process.stdout;
}

/** Whether this is the inner command. */
export function isPrivate(): boolean {
  return privately !== null;
}

/** The process to signal: the outer command, where this is the inner one. */
export function commandPid(): number {
  return isPrivate() ? process.ppid : process.pid;
}

/** The inner command hears of signals from the outer one alone, and ends with it. */
export function obeyOuter(interrupts: Interrupts): void {
  if (!isPrivate()) return;
  interrupts.end();
  // The outer one passes each signal on; the terminal sends it to both.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
  process.on("message", (name) => interrupts.interrupt(String(name)));
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel?.unref();
}

/** Runs this command once more, with a descriptor for its results. @returns its exit status */
export function runPrivately(): Promise<number> {
  return new Promise((resolve, reject) => {
    const [entry = "", ...args] = process.argv.slice(1);
    const inner = spawn(process.execPath, [...process.execArgv, entry, ...args], {
      env: { ...process.env, [VARIABLE]: "1" },
      // Standard input, and twice standard error; results go where standard output went.
      stdio: [0, 2, 2, 1, "ipc"],
    });
    const passOn = (name: NodeJS.Signals): void => {
      if (inner.connected) inner.send(name, () => undefined);
    };
    for (const name of ["SIGINT", "SIGTERM"] as const) {
      process.removeAllListeners(name);
      process.on(name, () => passOn(name));
    }
    inner.on("error", reject);
    inner.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}
