/**
 * The extension files below one root, by their names alone: directories are listed and package.json files read, and no
 * extension file is opened. Links are followed; a directory is entered once, so that they can't lead in a circle.
 */
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { byCodePoint } from "../../events/index.ts";
import type { LoadError } from "../port.ts";
import { isExtensionFileName, isPassedOver } from "./names.ts";
import { packageEntry } from "./package-entry.ts";

/** What is below one root. */
export interface Scan {
  /** Paths relative to the root, with `/`, sorted by code point. */
  readonly files: readonly string[];
  readonly loadErrors: readonly LoadError[];
  /** Directories that could not be listed. */
  readonly warnings: readonly string[];
}

/** Looks at one directory. */
export async function scanFolder(root: string): Promise<Scan> {
  const files = new Set<string>();
  const loadErrors: LoadError[] = [];
  const warnings: string[] = [];
  const visited = new Set<string>();

  for (const { name, isFolder } of (await enter("")) ?? []) {
    if (!isFolder) take(name);
    else await scanExtensionFolder(name);
  }
  return { files: [...files].toSorted(byCodePoint), loadErrors, warnings };

  /** Its entry, and all below its `lib`. */
  async function scanExtensionFolder(name: string): Promise<void> {
    const entries = await enter(name);
    if (entries === null) return;
    const entry = await packageEntry(path.join(root, name));
    if (entry === null) takeIndex(name, entries);
    else if ("file" in entry) files.add(`${name}/${entry.file}`);
    else loadErrors.push(entry.loadError);
    if (entries.some((each) => each.name === "lib" && each.isFolder)) await scanLib(`${name}/lib`);
  }

  function takeIndex(folder: string, entries: readonly Entry[]): void {
    const index = ["index.ts", "index.js"].find((wanted) =>
      entries.some((each) => each.name === wanted && !each.isFolder),
    );
    if (index !== undefined) files.add(`${folder}/${index}`);
  }

  async function scanLib(folder: string): Promise<void> {
    for (const { name, isFolder } of (await enter(folder)) ?? []) {
      if (isFolder) await scanLib(`${folder}/${name}`);
      else take(`${folder}/${name}`);
    }
  }

  function take(file: string): void {
    if (isExtensionFileName(path.posix.basename(file))) files.add(file);
  }

  /** The files and directories in it, sorted; `null` when it was entered before or can't be listed. */
  async function enter(folder: string): Promise<readonly Entry[] | null> {
    const place = path.join(root, folder);
    try {
      const real = await realpath(place);
      if (visited.has(real)) return null;
      visited.add(real);
      const names = (await readdir(place)).filter((name) => !isPassedOver(name)).toSorted(byCodePoint);
      return (await Promise.all(names.map((name) => look(place, name)))).flat();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "an error";
      warnings.push(`${place} could not be listed: ${code}`);
      return null;
    }
  }
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Nothing for a broken link, a pipe, a socket or a device. */
async function look(folder: string, name: string): Promise<readonly Entry[]> {
  const found = await stat(path.join(folder, name)).catch(() => null);
  if (found === null || !(found.isFile() || found.isDirectory())) return [];
  return [{ name, isFolder: found.isDirectory() }];
}
