/** The grammar of `lemon todos`, `progress` and `features`. */
import type { Command } from "commander";
import type { Invoke } from "./invoke.ts";
import { wholeNumber } from "./value-parsers.ts";

/** Adds the commands that tell how far the work is. */
export function addHarnessCommands(program: Command, invoke: Invoke): void {
  program
    .command("todos")
    .argument("<id>", "a session")
    .option("--at <version>", "as they were after this fact", wholeNumber)
    .description("show the todo list of a session")
    .action((id: string, flags: { readonly at?: number }) =>
      invoke(async () => (await import("./commands/todos.ts")).todos, id, flags),
    );
  program
    .command("progress")
    .argument("<id>", "a session")
    .option("--at <version>", "as it was after this fact", wholeNumber)
    .description("show how far a session is: todos, features (of --cwd, default its own folder), checkpoints")
    .action((id: string, flags: { readonly at?: number }) =>
      invoke(async () => (await import("./commands/progress.ts")).progress, id, flags),
    );
  addFeatureCommands(program, invoke);
}

/** `lemon features list`, which is what it does by itself, `next` and `set`. */
function addFeatureCommands(program: Command, invoke: Invoke): void {
  const features = program
    .command("features")
    .description("the features of a project, in FEATURE_REQUIREMENTS.json of the working directory");
  features
    .command("list", { isDefault: true })
    .description("list the features, each with its status")
    // What is no command comes here, as an argument of the one that needs no name.
    .allowExcessArguments()
    .action((_flags: object, { args: [unknown] }: Command) => {
      if (unknown !== undefined)
        features.error(`error: unknown command '${unknown}'. features has list, next and set`, {
          code: "commander.unknownCommand",
        });
      return invoke(async () => (await import("./commands/features.ts")).listFeatures);
    });
  features
    .command("next")
    .description("list those that can be begun, in the order in which to begin them")
    .action(() => invoke(async () => (await import("./commands/features.ts")).nextFeatures));
  features
    .command("set")
    .argument("<id>", "a feature")
    .argument("<status>", "pending, in_progress, completed or failed")
    .option("--notes <text>", "notes in place of the old ones; empty text clears them")
    .description("set the status of a feature")
    .action((id: string, status: string, flags: { readonly notes?: string }) =>
      invoke(async () => (await import("./commands/features.ts")).setFeature, id, status, flags),
    );
}
