/** What is set up here, for people and for support. Nothing is made, nothing is changed, and no extension runs. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  defaultConfig,
  InvalidConfigError,
  loadConfig,
  projectFile,
  type LoadedConfig,
} from "../config/index.ts";
import {
  lookAround,
  redact,
  searchRoots,
  untrustedWarning,
  type ExtensionDiagnostics,
} from "../extensions/index.ts";
import type { Context } from "./globals.ts";

/** What `lemon doctor` tells. It names paths and keys: it stays on this machine. */
export interface Diagnosis {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly home: { readonly path: string; readonly exists: boolean };
  /** `bytes` of a log that is a file. */
  readonly log: { readonly location: string; readonly exists: boolean; readonly bytes: number | null };
  readonly config: {
    readonly files: readonly ConfigFile[];
    /** Why the configuration can't be used; none of it is then. */
    readonly problems: readonly string[];
    readonly warnings: readonly string[];
    /** Keys of the project file that are ignored since its folder is not trusted. */
    readonly ignoredKeys: readonly string[];
  };
  readonly extensions: {
    readonly enabled: boolean;
    readonly autoLoadDefaultPaths: boolean;
    readonly directories: readonly ExtensionFolder[];
  };
}

interface ConfigFile {
  readonly origin: "user" | "project";
  readonly path: string;
  readonly exists: boolean;
  readonly trusted: boolean;
}

interface ExtensionFolder {
  readonly origin: "global" | "project" | "configured";
  readonly path: string;
  readonly exists: boolean;
  /** Whether a session that is started here runs what lies in it. */
  readonly loaded: boolean;
  readonly files: number;
  readonly manifests: number;
  readonly invalidManifests: number;
}

/** Looks at what the flags and the environment name. A configuration with mistakes is part of the answer. */
export async function diagnose(
  { home, log, cwd, env }: Context,
  version: string,
): Promise<{ readonly diagnosis: Diagnosis; readonly extensions: ExtensionDiagnostics }> {
  const { loaded, problems } = await configAt({ home, cwd, env });
  const { config, isProjectTrusted, untrusted } = loaded;
  const places = { config, home, cwd, isProjectTrusted };
  const [contents, roots, waiting] = await Promise.all([
    lookAround(places),
    searchRoots(places),
    untrustedWarning(places),
  ]);
  const searched = new Set(roots.map((root) => root.path));
  const directories = contents.map((content, at): ExtensionFolder => {
    const origin = at === 0 ? "global" : at === 1 ? "project" : "configured";
    const { path: place, exists, files, manifests } = content;
    return {
      origin,
      path: place,
      exists,
      loaded: exists && searched.has(place),
      files: files.length,
      manifests: manifests.length,
      invalidManifests: manifests.filter(({ valid }) => !valid).length,
    };
  });
  const logFile = await stat(fileOf(log)).catch(() => null);
  const { enabled, autoLoadDefaultPaths } = config.runtime.extensions;
  const diagnosis: Diagnosis = {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    home: { path: home, exists: await isThere(home) },
    log: { location: log, exists: logFile !== null, bytes: logFile?.isFile() === true ? logFile.size : null },
    config: {
      files: [
        await configFile("user", path.join(home, "config.toml"), true),
        await configFile("project", projectFile(cwd), isProjectTrusted),
      ],
      problems,
      warnings: [...loaded.warnings, ...(waiting === null ? [] : [waiting])],
      ignoredKeys: untrusted?.keys ?? [],
    },
    extensions: { enabled, autoLoadDefaultPaths, directories },
  };
  return { diagnosis, extensions: redact(contents, { config }) };
}

async function configAt(
  places: Pick<Context, "home" | "cwd" | "env">,
): Promise<{ readonly loaded: LoadedConfig; readonly problems: readonly string[] }> {
  try {
    return { loaded: await loadConfig(places), problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    const loaded = { config: defaultConfig, warnings: [], untrusted: null, isProjectTrusted: false };
    return { loaded, problems: error.message.split("\n") };
  }
}

/** A log may be named by a `file:` URL. One that is no URL of a file is nowhere on this disk. */
function fileOf(log: string): string {
  try {
    return log.startsWith("file:") ? fileURLToPath(log) : log;
  } catch {
    return log;
  }
}

async function configFile(origin: ConfigFile["origin"], file: string, trusted: boolean): Promise<ConfigFile> {
  return { origin, path: file, exists: await isThere(file), trusted };
}

async function isThere(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}
