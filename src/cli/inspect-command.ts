/** The grammar of `lemon inspect`. */
import type { Command } from "commander";
import type { InspectFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { nonEmpty, portNumber } from "./value-parsers.ts";

/** Adds the command that serves the page of time travel. */
export function addInspectCommand(program: Command, invoke: Invoke): void {
  program
    .command("inspect")
    .argument("[id]", "the session to begin with")
    .option("--port <number>", "the port on 127.0.0.1 (default: one that is free)", portNumber)
    .option("--open", "open it in the browser")
    .option("--prices <file>", "what models cost, as JSON; without it no cost is told", nonEmpty)
    .description("serve a page on which sessions can be travelled through, and print where it is")
    .action((id: string | undefined, flags: InspectFlags) =>
      invoke(async () => (await import("./commands/inspect.ts")).inspect, id, flags),
    );
}
