/** One name for each path of a workspace, whichever way the workspace itself was reached. */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf } from "../file-errors.ts";
import { systemFiles, type FileCalls } from "./file-calls.ts";

/** Where paths start, and which of them lie inside. */
export interface Place {
  /** Absolute, its own links resolved. */
  readonly cwd: string;
  /** The absolute name of a path. Links in it are left alone, but for those that lead to the working directory. */
  resolve(path: string): string;
  contains(path: string): boolean;
}

/** The place of a working directory, which need not exist. */
export async function placeAt(cwd: string, files: FileCalls = systemFiles): Promise<Place> {
  const given = resolve(cwd);
  const real = await realOf(given, files);
  return {
    cwd: real,
    resolve: (path) => {
      const named = resolve(given, path);
      const below = within(given, named);
      return below === null ? named : join(real, below);
    },
    contains: (path) => within(real, path) !== null,
  };
}

async function realOf(path: string, files: FileCalls): Promise<string> {
  try {
    return await files.realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return path;
    throw error;
  }
}

/** The part of `path` below `folder`, empty for the folder itself; `null` when it lies elsewhere. */
export function within(folder: string, path: string): string | null {
  const below = relative(folder, path);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return null;
  return below;
}
