/** From roots to the extension files that are loaded. */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { LoadError } from "../port.ts";
import { keepLast, type OverriddenModule } from "./keep-last.ts";
import { isExtensionFileName, moduleOf, suffixWords } from "./names.ts";
import type { SearchRoot } from "./roots.ts";
import { scanFolder, type Scan } from "./scan.ts";

/** An extension file that was found and is to be loaded. */
export interface ExtensionFile {
  readonly module: string;
  /** Absolute, as it was found: links in it are not resolved. */
  readonly sourcePath: string;
  readonly root: SearchRoot;
}

/** What a search gives. */
export interface Discovery {
  /** All, in search order, inside a root by relative path. */
  readonly found: readonly ExtensionFile[];
  /** Those of them that are kept, and those that gave way. */
  readonly files: readonly ExtensionFile[];
  readonly overridden: readonly OverriddenModule[];
  readonly loadErrors: readonly LoadError[];
  /** For people: roots that are not there or are no place for extensions, directories that can't be listed. */
  readonly warnings: readonly string[];
  readonly searchPaths: readonly SearchRoot[];
}

/** Finds the extension files of these roots. Opens none of them. Never rejects. */
export async function discover(roots: readonly SearchRoot[]): Promise<Discovery> {
  const scans = await Promise.all(
    roots.map(async (root) => (isMissingDefault(root) ? nothing : scanRoot(root))),
  );
  const found = scans.flatMap(({ files }, at) => filesOf(roots[at], files));
  const { kept, overridden } = keepLast(found);
  return {
    found,
    files: kept,
    overridden,
    loadErrors: uniqueErrors(scans.flatMap(({ loadErrors }) => loadErrors)),
    warnings: scans.flatMap(({ warnings }) => warnings),
    searchPaths: roots,
  };
}

interface RootScan extends Omit<Scan, "files"> {
  readonly files: readonly FoundFile[];
}

const nothing: RootScan = { files: [], loadErrors: [], warnings: [] };

/** Nobody named the default folders, so one that is not there is nothing to warn about. */
function isMissingDefault({ exists, origin }: SearchRoot): boolean {
  return !exists && (origin === "global" || origin === "project");
}

interface FoundFile {
  readonly module: string;
  readonly sourcePath: string;
}

/** What one root holds: a directory its files, a file itself. */
export async function scanRoot(root: Pick<SearchRoot, "path">): Promise<RootScan> {
  const only = (warning: string): RootScan => ({ files: [], loadErrors: [], warnings: [warning] });
  const found = await stat(root.path).catch(() => null);
  if (found === null) return only(`extension path ${root.path} is not there`);
  if (found.isDirectory()) {
    const scan = await scanFolder(root.path);
    const files = scan.files.map((file) => ({
      module: moduleOf(file, path.basename(root.path)),
      sourcePath: path.join(root.path, ...file.split("/")),
    }));
    return { ...scan, files };
  }
  const name = path.basename(root.path);
  if (!found.isFile() || !isExtensionFileName(name))
    return only(`extension path ${root.path} is neither a folder nor a ${suffixWords} file`);
  return {
    files: [{ module: moduleOf(name, path.basename(path.dirname(root.path))), sourcePath: root.path }],
    loadErrors: [],
    warnings: [],
  };
}

function filesOf(root: SearchRoot | undefined, files: readonly FoundFile[]): ExtensionFile[] {
  return root === undefined ? [] : files.map((file) => ({ ...file, root }));
}

function uniqueErrors(errors: readonly LoadError[]): LoadError[] {
  return [...new Map(errors.map((error) => [error.sourcePath, error])).values()];
}
