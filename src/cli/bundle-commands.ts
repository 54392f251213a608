/** The grammar of the commands that carry a session from one log to another, or into a test. */
import type { Command } from "commander";
import type { ExportFlags, FixtureFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { nonEmpty } from "./value-parsers.ts";

/** `lemon export`, `lemon import` and `lemon fixture`. */
export function addBundleCommands(program: Command, invoke: Invoke): void {
  program
    .command("export")
    .argument("<id>", "a session")
    .argument("<file>", "a name that is free")
    .option("--redact", "leave out what was said, done and read: only the chain of hashes stays")
    .description("write a session to one file")
    .action((id: string, file: string, flags: ExportFlags) =>
      invoke(async () => (await import("./commands/export.ts")).exportSession, id, file, flags),
    );
  program
    .command("import")
    .argument("<file>", "what lemon export wrote")
    .description("add the session of such a file to the log, all of it or nothing")
    .action((file: string) => invoke(async () => (await import("./commands/import.ts")).importSession, file));
  program
    .command("fixture")
    .argument("<id>", "a session")
    .option("--out <file>", "write it to this file, a name that is free (default: print it)", nonEmpty)
    .description("make a vitest file that replays a session")
    .action((id: string, flags: FixtureFlags) =>
      invoke(async () => (await import("./commands/fixture.ts")).fixture, id, flags),
    );
}
