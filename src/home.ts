/** Where a user's things are. A file of its own, since reading commands need it and nothing else of the runtime. */
import { homedir } from "node:os";
import path from "node:path";

/** `$LEMON_HOME`, else `~/.lemon`. */
export function defaultHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env["LEMON_HOME"]?.trim();
  return named === undefined || named === "" ? path.join(homedir(), ".lemon") : path.resolve(named);
}
