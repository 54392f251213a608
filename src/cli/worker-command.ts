/** The grammar of `lemon worker`. */
import type { Command } from "commander";
import type { WorkerFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { wholeNumber } from "./value-parsers.ts";

/** Adds the command that works on background runs. */
export function addWorkerCommand(program: Command, invoke: Invoke): void {
  program
    .command("worker")
    .option("--idle <seconds>", "end after so long without work (default: 60)", wholeNumber)
    .description("work on background runs; it is started by itself where one is needed")
    .action((flags: WorkerFlags) => invoke(async () => (await import("./commands/worker.ts")).worker, flags));
}
