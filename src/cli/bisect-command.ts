/** The grammar of `lemon bisect`. docs/reference/bisect.md */
import { createRequire } from "node:module";
import type * as Commander from "commander";
import type { BisectFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { nonEmpty, wholeNumber } from "./value-parsers.ts";

const { Option } = createRequire(import.meta.url)("commander") as typeof Commander;

/** Adds it. */
export function addBisectCommand(program: Commander.Command, invoke: Invoke): void {
  program
    .command("bisect")
    .argument("<id>", "a session")
    .addOption(
      new Option("--run <command>", "fails (any status but 0 and 125) once it is broken")
        .argParser(nonEmpty)
        .conflicts("when"),
    )
    .option("--when <expression>", "JavaScript over `state`", nonEmpty)
    .option("--from <version>", "where it is well (default: 1)", wholeNumber)
    .option("--to <version>", "where it is broken (default: the last)", wholeNumber)
    .option("--timeout <ms>", "how long a run may take (default: 300000)", wholeNumber)
    .addOption(
      new Option(
        "--ignored <how>",
        "what the copy has of ignored files such as node_modules (default: copy)",
      ).choices(["copy", "link", "none"]),
    )
    .option("--work-dir <dir>", "where the copy is made (default: the folder for temporary files)", nonEmpty)
    .description("find the call that broke something, in copies of the workspace")
    .action((id: string, flags: BisectFlags) =>
      invoke(async () => (await import("./commands/bisect.ts")).bisectSession, id, flags),
    );
}
