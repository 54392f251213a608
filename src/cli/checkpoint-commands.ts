/** The grammar of `lemon checkpoint`. */
import type { Command } from "commander";
import type { CheckpointCreateFlags, CheckpointRestoreFlags } from "./flags.ts";
import type { Invoke } from "./invoke.ts";
import { anyNumber, wholeNumber } from "./value-parsers.ts";

/** Adds the commands. */
export function addCheckpointCommands(program: Command, invoke: Invoke): void {
  const checkpoint = program
    .command("checkpoint")
    .description("snapshots of sessions and files, and the way back to them");
  checkpoint
    .command("create")
    .argument("<session>", "a session")
    .option("--files [path...]", "keep these files; without one, whatever calls change from now on")
    .description("keep the state of a session, or files")
    .action((session: string, flags: CheckpointCreateFlags) =>
      invoke(async () => (await import("./commands/checkpoint-write.ts")).createCheckpoint, session, flags),
    );
  addLooking(checkpoint, invoke);
  checkpoint
    .command("restore")
    .argument("<id>", "a checkpoint, or with --at a session")
    .argument("[path...]", "only these files (default: all)")
    .option("--at <version>", "the files as they were after this fact of the session", wholeNumber)
    .option("--force", "also over what others changed since, and when a call was cut off")
    .option("--dry-run", "only tell what would become of each file")
    .option("--yes", "do not ask")
    .description("bring files back; what stands there now is kept first")
    .action((id: string, paths: readonly string[], flags: CheckpointRestoreFlags) =>
      invoke(
        async () => (await import("./commands/checkpoint-restore.ts")).restoreCheckpoint,
        id,
        paths,
        flags,
      ),
    );
  checkpoint
    .command("resume")
    .argument("<id>", "a checkpoint of a session")
    .description("put its todo list back")
    .action((id: string) =>
      invoke(async () => (await import("./commands/checkpoint-write.ts")).resumeCheckpoint, id),
    );
  checkpoint
    .command("delete")
    .argument("<id>", "a checkpoint")
    .description("delete a checkpoint")
    .action((id: string) =>
      invoke(async () => (await import("./commands/checkpoint-write.ts")).deleteCheckpoint, id),
    );
  checkpoint
    .command("prune")
    .argument("<session>", "a session")
    .option("--keep <count>", "how many of the newest stay (default: 10)", anyNumber)
    .description("delete all checkpoints of a session but the newest")
    .action((session: string, flags: { readonly keep?: number }) =>
      invoke(async () => (await import("./commands/checkpoint-write.ts")).pruneCheckpoints, session, flags),
    );
}

function addLooking(checkpoint: Command, invoke: Invoke): void {
  checkpoint
    .command("list")
    .argument("<session>", "a session")
    .description("list the checkpoints of a session, the newest first")
    .action((session: string) =>
      invoke(async () => (await import("./commands/checkpoint-look.ts")).listCheckpoints, session),
    );
  checkpoint
    .command("show")
    .argument("<id>", "a checkpoint")
    .description("show what a checkpoint holds")
    .action((id: string) =>
      invoke(async () => (await import("./commands/checkpoint-look.ts")).showCheckpoint, id),
    );
  checkpoint
    .command("diff")
    .argument("<id>", "a checkpoint of files")
    .argument("[path...]", "only these files (default: all)")
    .option("--force", "also when a call was cut off and has not told what it changed")
    .description("show how files differ from a checkpoint")
    .action((id: string, paths: readonly string[], flags: { readonly force?: boolean }) =>
      invoke(async () => (await import("./commands/checkpoint-look.ts")).diffCheckpoint, id, paths, flags),
    );
}
