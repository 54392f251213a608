/** The grammar of `lemon fork`. */
import type { Command } from "commander";
import type { ForkFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { nonEmpty, wholeNumber } from "./value-parsers.ts";

/** Adds `fork`. */
export function addForkingCommands(program: Command, invoke: Invoke): void {
  program
    .command("fork")
    .argument("<id>", "a session")
    .requiredOption("--at <version>", "go on from what it was after this fact", wholeNumber)
    .option(
      "--into <dir>",
      "work in this folder, absent or empty, with the files as they were then",
      nonEmpty,
    )
    .description("make a session that goes on from what another was, which stays as it is")
    .action((id: string, flags: ForkFlags) =>
      invoke(async () => (await import("./commands/fork.ts")).fork, id, flags),
    );
}
