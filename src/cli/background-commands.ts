/** The grammar of `lemon background`. */
import { createRequire } from "node:module";
import type * as Commander from "commander";
import type { BackgroundListFlags, BackgroundStartFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { addLeadOptions } from "./lead-options.ts";
import { nonEmpty, wholeNumber } from "./value-parsers.ts";

const { Option } = createRequire(import.meta.url)("commander") as typeof Commander;

/** Adds the commands for runs that outlive whoever asked for them. */
export function addBackgroundCommands(program: Commander.Command, invoke: Invoke): void {
  const background = program
    .command("background")
    .description("let work go on when this command and its terminal are gone");
  addStart(background, invoke);
  addReading(background, invoke);
  background
    .command("cancel")
    .argument("<id>", "a background run")
    .argument("[reason]", "kept with it, and shown nowhere")
    .description("end a run")
    .action((id: string, reason: string | undefined) =>
      invoke(async () => (await import("./commands/background-cancel.ts")).cancelRun, id, reason),
    );
  background
    .command("watch")
    .argument("<id>", "a background run")
    .description("follow a run until it has ended; Ctrl-C ends the watching alone")
    .action((id: string) =>
      invoke(async () => (await import("./commands/background-watch.ts")).watchRun, id),
    );
}

function addStart(background: Commander.Command, invoke: Invoke): void {
  const start = background
    .command("start")
    .argument("[prompt]", "what to do; without it, standard input is read")
    .description("put a run in line and print its id");
  addLeadOptions(start)
    .addOption(
      new Option("--thinking <level>", "how hard the model is to think").choices([
        "off",
        "minimal",
        "low",
        "medium",
        "high",
        "xhigh",
      ]),
    )
    .option("--timeout <ms>", "how long it may work (default: 1800000, at most 86400000)", wholeNumber)
    .addOption(
      new Option("--on-restart <what>", "what becomes of it when its process ends").choices([
        "resume",
        "lost",
      ]),
    )
    .action((prompt: string | undefined, flags: BackgroundStartFlags) =>
      invoke(async () => (await import("./commands/background-start.ts")).startRun, prompt, flags),
    );
}

function addReading(background: Commander.Command, invoke: Invoke): void {
  background
    .command("list")
    .option("--status <word>", "only those that are so", nonEmpty)
    .option("--limit <number>", "no more than these (default: 100, at most 1000)", wholeNumber)
    .description("list the runs, the newest first")
    .action((flags: BackgroundListFlags) =>
      invoke(async () => (await import("./commands/background-read.ts")).listRuns, flags),
    );
  background
    .command("status")
    .argument("<id>", "a background run")
    .description("tell how a run is")
    .action((id: string) =>
      invoke(async () => (await import("./commands/background-read.ts")).runStatus, id),
    );
  background
    .command("result")
    .argument("<id>", "a background run")
    .description("print what a run came to; status 1 unless it completed")
    .action((id: string) =>
      invoke(async () => (await import("./commands/background-read.ts")).runResult, id),
    );
}
