/** `lemon background start [PROMPT]` */
import { EmptyPromptError } from "../../runtime/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { BackgroundStartFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { withRuntime } from "../leading.ts";
import { prepare } from "../preparation.ts";
import { readText } from "../standard-input.ts";

/** Puts a run in line for a process that outlives this one, and prints its id. */
export async function startRun(
  context: Context,
  argument: string | undefined,
  flags: BackgroundStartFlags,
): Promise<Status> {
  const { out, cwd } = context;
  const prompt = await readText(argument, "prompt");
  if (prompt.trim() === "") throw new EmptyPromptError();
  const { model, script, approval, extensions } = await prepare(context, flags, { cwd, isNew: true });
  const run = await withRuntime(context, ({ background }) =>
    background.start(prompt, {
      cwd,
      worker: "detached",
      ...(model === undefined ? {} : { model }),
      ...(script === undefined ? {} : { script }),
      ...(approval === undefined ? {} : { approval }),
      ...(extensions === undefined ? {} : { extensions }),
      ...(flags.thinking === undefined ? {} : { thinkingLevel: flags.thinking }),
      ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
      ...(flags.onRestart === undefined ? {} : { onRestart: flags.onRestart }),
    }),
  );
  if (out.json) out.document(run);
  else {
    out.line(run.id);
    out.note(`\`lemon background watch ${run.id}\` follows it`);
  }
  return statuses.done;
}
