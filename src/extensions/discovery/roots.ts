/**
 * Where extensions are looked for, and in which order: configured paths, the user's folder, the project's, then what the
 * command line names. docs/reference/manifests.md
 */
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { projectExtensions, type Config } from "../../config/index.ts";
import { resolvePath } from "../../workspace/index.ts";

/** What makes the list of roots. */
export interface SearchOptions {
  readonly config: Config;
  /** Whether the extensions of `cwd` may run; see `LoadedConfig.isProjectTrusted`. */
  readonly isProjectTrusted: boolean;
  /** Folder of the configuration, such as `~/.lemon`. */
  readonly home: string;
  readonly cwd: string;
  /** In place of what is configured, the default folders included. */
  readonly extensionPaths?: readonly string[] | undefined;
  /** Named on the command line; searched last. */
  readonly optionPaths?: readonly string[] | undefined;
  /** What `~` stands for. Default: the user's home directory. */
  readonly userHome?: string | undefined;
}

/** One place that is searched. */
export interface SearchRoot {
  /** Absolute. A folder or one file. */
  readonly path: string;
  readonly origin: "configured" | "global" | "project" | "option";
  readonly exists: boolean;
}

/** The user's folder of extensions. */
function globalExtensions(home: string): string {
  return path.join(home, "agent", "extensions");
}

/** The folders that are read for manifests and diagnostics whether or not their code may run: user's, project's. */
export function defaultFolders(home: string, cwd: string): readonly SearchRoot["path"][] {
  return [globalExtensions(home), projectExtensions(cwd)];
}

/**
 * The roots in search order. One that occurs twice, by its real path, is there once, at its last place. With extensions
 * switched off there is none. Opens no file.
 */
export async function searchRoots(options: SearchOptions): Promise<readonly SearchRoot[]> {
  if (!options.config.runtime.extensions.enabled) return [];
  const roots = await Promise.all(candidates(options).map(look));
  const last = new Map(roots.map((root) => [root.realPath, root]));
  return roots
    .filter((root) => last.get(root.realPath) === root)
    .map(({ path: place, origin, exists }) => ({ path: place, origin, exists }));
}

/** What to tell the user when the project's own extensions would be loaded, were the folder trusted; `null`: nothing. */
export async function untrustedWarning(options: SearchOptions): Promise<string | null> {
  const { enabled, autoLoadDefaultPaths } = options.config.runtime.extensions;
  if (!enabled || !autoLoadDefaultPaths || options.isProjectTrusted || options.extensionPaths !== undefined)
    return null;
  const folder = projectExtensions(options.cwd);
  const { exists } = await look({ path: folder, origin: "project" });
  if (!exists) return null;
  return `${folder}: not loaded, since this folder is not trusted; to let it: lemon trust ${options.cwd}`;
}

/** Entries that name a path, absolute; blank ones and those that no path can be are left out. */
export function resolveEntries(
  entries: readonly string[],
  { cwd, userHome = homedir() }: Pick<SearchOptions, "cwd" | "userHome">,
): string[] {
  return entries
    .filter((entry) => typeof entry === "string" && entry.trim() !== "" && !entry.includes("\0"))
    .map((entry) => resolvePath(entry, { cwd, home: userHome }));
}

interface Candidate {
  readonly path: string;
  readonly origin: SearchRoot["origin"];
}

function candidates(options: SearchOptions): Candidate[] {
  const { config, home, cwd, isProjectTrusted, extensionPaths, optionPaths = [] } = options;
  const { extensionPaths: configured, extensions } = config.runtime;
  const named = (entries: readonly string[], origin: SearchRoot["origin"]): Candidate[] =>
    resolveEntries(entries, options).map((place) => ({ path: place, origin }));
  const option = named(optionPaths, "option");
  if (extensionPaths !== undefined) return [...named(extensionPaths, "configured"), ...option];
  const { autoLoadDefaultPaths } = extensions;
  const standard: Candidate[] = autoLoadDefaultPaths
    ? [{ path: path.resolve(globalExtensions(home)), origin: "global" }]
    : [];
  // A cloned repository must not run code by being opened, whoever asked for the default folders.
  if (autoLoadDefaultPaths && isProjectTrusted)
    standard.push({ path: path.resolve(projectExtensions(cwd)), origin: "project" });
  return [...named(configured, "configured"), ...standard, ...option];
}

async function look(root: Candidate): Promise<SearchRoot & { readonly realPath: string }> {
  const exists = await stat(root.path).then(
    () => true,
    () => false,
  );
  const realPath = await realpath(root.path).catch(() => root.path);
  return { ...root, exists, realPath };
}
