/** The flags of the commands that have a model work. */
import { createRequire } from "node:module";
import type * as Commander from "commander";
import { collect, nonEmpty } from "./value-parsers.ts";

const { Option } = createRequire(import.meta.url)("commander") as typeof Commander;

/** Adds model, script, extensions and approval. */
export function addLeadOptions(command: Commander.Command): Commander.Command {
  return command
    .addOption(
      new Option("--model <provider/model>", "the model, such as anthropic/NAME or openai/NAME")
        .argParser(nonEmpty)
        .conflicts("script"),
    )
    .option("--script <file>", "a script in place of a model", nonEmpty)
    .option("--extension <path>", "an extension file, or a folder of them; may be repeated", collect)
    .addOption(
      new Option("--approve <mode>", "what becomes of calls that ask for approval").choices([
        "auto",
        "ask",
        "deny",
      ]),
    );
}
