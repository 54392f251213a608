/** Which file a patch may touch under a name. docs/reference/tools.md, "patch" */
import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { LemonError } from "../../errors.ts";
import { codeOf } from "../../workspace/index.ts";
import type { NamedFile } from "./file-access.ts";

/** A patch names a file that it may not touch. Code `LEMON_OUTSIDE_CWD` or `LEMON_UNSAFE_PATH`. */
class PatchPathError extends LemonError {
  constructor(reason: "outside_cwd" | "unsafe_path", message: string) {
    super(reason, `${message} (${reason}): nothing was changed`, { field: "patch" });
  }
}

/**
 * The file, real and absolute: below the working directory, with no link in its place or on the way to it, since
 * what a link leads to may be anywhere.
 *
 * @throws PatchPathError; the system's errors for a folder that can't be looked at
 */
export async function placeInside({ path, shown }: NamedFile, cwd: string): Promise<string> {
  const root = await realpath(cwd);
  const below = inside(cwd, path) ?? inside(root, path);
  if (below === null)
    throw new PatchPathError(
      "outside_cwd",
      `${shown} is outside of the working directory, where patch stays`,
    );
  let place = root;
  for (const name of below.split(sep).filter((part) => part !== "")) {
    place = join(place, name);
    if (await isLink(place)) {
      const whose = place === join(root, below) ? "is" : "lies below";
      throw new PatchPathError(
        "unsafe_path",
        `${shown} ${whose} a symbolic link, which patch does not follow`,
      );
    }
  }
  return place;
}

function inside(folder: string, path: string): string | null {
  const below = relative(folder, path);
  return below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below) ? null : below;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
