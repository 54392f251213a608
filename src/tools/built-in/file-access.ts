/**
 * What the built-in tools that work on files have in common.
 */
import {
  displayPath,
  fileError,
  homeOf,
  removeSibling,
  resolvePath,
  targetOf,
} from "../../workspace/index.ts";
import type { PlaceContext } from "../tool.ts";

/** A path as the model wrote it, resolved, with the form in which it is shown. */
export interface NamedFile {
  readonly path: string;
  readonly shown: string;
}

/** Resolves a path of the model. @throws InvalidPathError */
export function fileNamed(path: string, { cwd, env }: PlaceContext): NamedFile {
  const resolved = resolvePath(path, { cwd, home: homeOf(env) });
  return { path: resolved, shown: displayPath(resolved, cwd) };
}

/** Runs `task`; an error of the file system comes out in words, with the names of similar files. */
export async function withFileErrors<Result>(
  { path, shown }: NamedFile,
  task: () => Promise<Result>,
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw await fileError(error, path, shown);
  }
}

/** The `tidy` of a tool that replaces the file under `path`. */
export async function tidyFile(
  toolCallId: string,
  { path }: Readonly<Record<string, unknown>>,
  context: PlaceContext,
): Promise<void> {
  if (typeof path === "string")
    await removeSibling(await targetOf(fileNamed(path, context).path), toolCallId);
}

/** Other words for a path that models use. */
export const pathSpellings = {
  file_path: "path",
  filePath: "path",
  filepath: "path",
  filename: "path",
  file: "path",
} as const;
