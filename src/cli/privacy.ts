/** Whether a command whose results are a protocol has to speak on a descriptor of its own. */
import { loadConfig } from "../config/index.ts";
import { searchRoots } from "../extensions/index.ts";
import type { LeadFlags } from "./flags.ts";
import type { Context } from "./globals.ts";
import { isPrivate } from "./results.ts";

/**
 * True when results are JSON and an extension may run beside them.
 *
 * @param exists - the session exists: it may have brought extensions along
 */
export async function wantsPrivacy(
  { out, home, cwd, env }: Context,
  { extension = [] }: LeadFlags,
  exists: boolean,
): Promise<boolean> {
  if (!out.json || isPrivate()) return false;
  if (exists || extension.length > 0) return true;
  const roots = await searchRoots({ ...(await loadConfig({ home, cwd, env })), home, cwd });
  return roots.length > 0;
}
