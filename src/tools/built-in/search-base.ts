/**
 * Where a search begins, as find and grep need it.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { displayPath, FileError, printable } from "../../workspace/index.ts";
import type { BuiltInContext } from "../tool.ts";
import { fileNamed, withFileErrors } from "./file-access.ts";

/** A directory to search, or one file in it. */
export interface SearchBase {
  readonly directory: string;
  /** `.`, or the name of the file. */
  readonly path: string;
  readonly shown: string;
  /** How a path that ripgrep gives relative to `directory` is shown: relative to the session's directory. */
  show(relative: string): string;
}

/** @throws FileError if there is no such place, or it is a file where only a directory will do */
export async function searchBase(
  path: string | undefined,
  files: boolean,
  context: BuiltInContext,
): Promise<SearchBase> {
  const named = fileNamed(path ?? ".", context);
  const found = await withFileErrors(named, () => stat(named.path));
  const isDirectory = found.isDirectory();
  if (!isDirectory && !(files && found.isFile())) throw new FileError(`${named.shown} is not a directory`);
  const directory = isDirectory ? named.path : dirname(named.path);
  return {
    directory,
    path: isDirectory ? "." : basename(named.path),
    shown: named.shown,
    show: (relative) => printable(displayPath(join(directory, relative), context.cwd)),
  };
}

/** The path that ripgrep printed, without the `./` that it was given. */
export function relativePath(bytes: Buffer): string {
  const text = bytes.toString();
  return text.startsWith("./") ? text.slice(2) : text;
}
