/** What stands between a working directory and a file below it. */
import { dirname, join, sep } from "node:path";
import { codeOf } from "../file-errors.ts";
import type { FileCalls } from "./file-calls.ts";
import { within } from "./place.ts";

/**
 * `safe`: folders all the way. `unsafe`: a link among them leads elsewhere. `missing`: one is not there.
 * `blocked`: one is no folder.
 */
export type Parents = "safe" | "unsafe" | "missing" | "blocked";

/**
 * Looks at every folder from the working directory down to that of `path`. What lies outside of the working directory
 * is taken as it is: the links above are the user's own.
 *
 * @throws the system's error for a folder that can't be looked at
 */
export async function parentsOf(path: string, cwd: string, files: FileCalls): Promise<Parents> {
  const below = within(cwd, dirname(path));
  if (below === null || below === "") return "safe";
  let folder = cwd;
  for (const name of below.split(sep)) {
    folder = join(folder, name);
    try {
      const found = await files.lstat(folder);
      if (found.isSymbolicLink()) return "unsafe";
      if (!found.isDirectory()) return "blocked";
    } catch (error) {
      if (codeOf(error) === "ENOENT") return "missing";
      throw error;
    }
  }
  return "safe";
}
