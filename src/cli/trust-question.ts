/** Asks whether a project may run code, where it wants to and nobody has said so yet. */
import { trustProject, type LoadedConfig } from "../config/index.ts";
import { untrustedWarning } from "../extensions/index.ts";
import { canAsk } from "./approver.ts";
import type { Context } from "./globals.ts";

/**
 * On a terminal, asks; the answer that is given without thinking is no. What is left out of an untrusted project is
 * warned about all the same.
 *
 * @returns whether the folder is trusted now and was not before: then its configuration has to be read again
 */
export async function askTrust(
  { home, interrupts, out }: Context,
  cwd: string,
  loaded: LoadedConfig,
): Promise<boolean> {
  const wants =
    loaded.untrusted === null
      ? await untrustedWarning({ ...loaded, home, cwd })
      : `${loaded.untrusted.file} sets ${loaded.untrusted.keys.join(", ")}`;
  if (wants === null || loaded.isProjectTrusted || !canAsk()) return false;
  const { confirm } = await import("@clack/prompts");
  out.clearProgress();
  const answer = await confirm({
    message: `${wants}\nThis can run code of ${cwd}. Trust this folder?`,
    initialValue: false,
    output: process.stderr,
    signal: interrupts.signal,
  });
  if (answer !== true) return false;
  await trustProject(home, cwd);
  return true;
}
