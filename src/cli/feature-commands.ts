/** The grammar of `lemon features`. */
import type { Command } from "commander";
import type { Invoke } from "./invoke.ts";

/** Adds `lemon features list`, which is what it does by itself, `next` and `set`. */
export function addFeatureCommands(program: Command, invoke: Invoke): void {
  const features = program
    .command("features")
    .description("the features of a project, in FEATURE_REQUIREMENTS.json of the working directory");
  features
    .command("list", { isDefault: true })
    .description("list the features, each with its status")
    .action(() => invoke(async () => (await import("./commands/features.ts")).listFeatures));
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
