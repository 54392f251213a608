/** The grammar of the commands that ask what would have been, and who did what. */
import { createRequire } from "node:module";
import type * as Commander from "commander";
import type { BlameFlags, WhatIfFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { collect, nonEmpty, wholeNumber } from "./value-parsers.ts";

const { Option } = createRequire(import.meta.url)("commander") as typeof Commander;

/** Adds `what-if` and `blame`. */
export function addHindsightCommands(program: Commander.Command, invoke: Invoke): void {
  program
    .command("what-if")
    .argument("[id...]", "sessions")
    .option("--all", "all sessions of the log")
    .option(
      "--extension <path>",
      "judge with this extension file, or folder of them; may be repeated",
      collect,
    )
    .option("--keep", "recorded extensions that are not replaced go on saying what they said")
    .option("--no-extensions", "judge with no extension at all")
    .addOption(
      new Option("--approve <mode>", "what becomes of calls that ask for approval").choices([
        "auto",
        "ask",
        "deny",
      ]),
    )
    .option("--deny <tool>", "take this tool away; may be repeated", collect)
    .option("--require-approval <tool>", "ask before this tool runs; may be repeated", collect)
    .option("--fail-on-change", "status 1 when a verdict would be another one")
    .description("judge the calls of stored sessions again with other rules, running none of them")
    .action((ids: readonly string[], flags: WhatIfFlags) =>
      invoke(async () => (await import("./commands/what-if.ts")).whatIf, ids, flags),
    );
  program
    .command("blame")
    .argument("<file[:line]>", "a file, and one of its lines")
    .option("--session <id>", "as the file was in this session, with --at", nonEmpty)
    .option("--at <version>", "as it was after this version of the session", wholeNumber)
    .description("tell which call wrote each line of a file, and what led to it")
    .action((file: string, flags: BlameFlags) =>
      invoke(async () => (await import("./commands/blame.ts")).blameFile, file, flags),
    );
}
