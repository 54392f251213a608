import { spawnSync } from "node:child_process";

/**
 * Whether a command that a test drives is installed: a test of it is skipped where it is not.
 *
 * @throws Error in CI, which installs it: there a skipped test would be a check that cannot fail
 */
export function isCommandThere(command: string): boolean {
  const isThere = spawnSync(command, ["--version"]).status === 0;
  if (!isThere && process.env["CI"] !== undefined) throw new Error(`${command} is not installed`);
  return isThere;
}
