/**
 * The one place that decides which file a path means.
 */
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { LemonError } from "../errors.ts";

/** A path can't mean a file. Code `LEMON_INVALID_PATH`. */
class InvalidPathError extends LemonError {
  constructor(message: string) {
    super("invalid_path", message, { field: "path" });
  }
}

/** What a path is relative to. */
export interface PathBase {
  /** Absolute. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** The home directory that `env` names, else that of the user. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const home = env["HOME"];
  return home === undefined || home === "" ? homedir() : home;
}

/**
 * The absolute, normalised form of `path`: `~` and `~/x` from the home directory, absolute as it is, all else from `cwd`.
 *
 * Blanks, brackets and all other characters are literal. `~user` is an ordinary name.
 *
 * @throws InvalidPathError for a blank path or one with a NUL character
 */
export function resolvePath(path: string, { cwd, home }: PathBase): string {
  if (path.trim() === "") throw new InvalidPathError("The path is blank");
  if (path.includes("\0")) throw new InvalidPathError("The path holds a NUL character");
  if (path === "~") return resolve(home);
  if (path.startsWith("~/")) return resolve(join(home, path.slice(2)));
  return resolve(cwd, path);
}

/** `path` as a person in `cwd` would write it: relative with `/` if it lies inside, else absolute; `.` for `cwd` itself. */
export function displayPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  if (inside === "") return ".";
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return path;
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}
