/**
 * From files and objects to extensions that are ready. Nothing that one of them does keeps another from loading, and
 * the outcome does not depend on who is quicker. docs/reference/extensions.md, "Loading"
 */
import { realpath } from "node:fs/promises";
import type { KnownSecret } from "../secrets/index.ts";
import { byCodePoint } from "../events/index.ts";
import { isPlainExtension, rolesOf, wrongExport, type BundledFile, type FileRole } from "./helpers.ts";
import type { LoadedExtension, LoadOutcome, ValidationError, ValidationWarning } from "./loaded.ts";
import {
  ExtensionLoadError,
  memberNames,
  type Bundle,
  type ExtensionHost,
  type LoadError,
  type MemberErrors,
} from "./port.ts";

/** A file or an object that is to be loaded. Of one module only one is handed over. */
export type LoadSource =
  | { readonly module: string; readonly sourcePath: string }
  | { readonly module: string; readonly sourcePath: null; readonly host: ExtensionHost };

/** Settings of one extension, checked. */
export interface CheckedSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: readonly KnownSecret[];
  readonly errors: readonly string[];
}

/** What loading needs of the world. */
export interface LoadParts {
  readonly cwd: string;
  readonly bundle: (sourcePath: string) => Promise<Bundle>;
  /** Starts the worker of a file, or gives the one that runs already. Rejects with `ExtensionLoadError`. */
  readonly host: (module: string, bundle: Bundle) => Promise<ExtensionHost>;
  /** Checks what is configured under an extension's name. */
  readonly settings: (name: string, schema: Readonly<Record<string, unknown>>) => Promise<CheckedSettings>;
}

const strayWarning = "the file exports nothing and no extension imports it: is its export default missing?";

type Found =
  | { readonly kind: "loaded"; readonly extension: LoadedExtension; readonly warnings: readonly string[] }
  | { readonly kind: "failed"; readonly error: LoadError }
  | { readonly kind: "invalid"; readonly error: ValidationError; readonly warnings: readonly string[] }
  | { readonly kind: "helper" }
  | { readonly kind: "stray"; readonly warning: ValidationWarning };

/** Loads all of them, at once. */
export async function loadExtensions(sources: readonly LoadSource[], parts: LoadParts): Promise<LoadOutcome> {
  const bundling = sources.map((source) => bundleOf(source, parts));
  const role = rolesTogether(bundling);
  const found = await Promise.all(
    bundling.map(async (each): Promise<Found> => {
      const { source, file, error } = await each;
      if (error !== null) return { kind: "failed", error };
      if (source.sourcePath === null) return complete(source.module, null, source.host, parts);
      if (file === null) throw new Error(`${source.sourcePath} was not bundled`);
      // Most files say by themselves what they are: their workers start while others are still bundled.
      return loadFile(file, isPlainExtension(file) ? "extension" : await role(file), parts);
    }),
  );
  return sorted(found);
}

/** What the other files are is told by all of them together. */
function rolesTogether(bundling: readonly Promise<Bundled>[]): (file: BundledFile) => Promise<FileRole> {
  let roles: Promise<ReadonlyMap<BundledFile, FileRole>> | null = null;
  const decide = async (): Promise<ReadonlyMap<BundledFile, FileRole>> => {
    const bundled = await Promise.all(bundling);
    const files = bundled.flatMap(({ file }) => (file === null ? [] : [file]));
    const decided = rolesOf(files);
    return new Map(files.map((file, index) => [file, decided[index] ?? "extension"]));
  };
  return async (file) => (await (roles ??= decide())).get(file) ?? "extension";
}

interface Bundled {
  readonly source: LoadSource;
  readonly file: (BundledFile & { readonly bundle: Bundle }) | null;
  readonly error: LoadError | null;
}

async function bundleOf(source: LoadSource, parts: LoadParts): Promise<Bundled> {
  const { module, sourcePath } = source;
  if (sourcePath === null) return { source, file: null, error: null };
  try {
    const bundle = await parts.bundle(sourcePath);
    const realPath = await realpath(sourcePath);
    return { source, file: { module, sourcePath, realPath, bundle }, error: null };
  } catch (error) {
    return { source, file: null, error: loadErrorOf(sourcePath, error) };
  }
}

async function loadFile(
  { module, sourcePath, bundle }: BundledFile & { readonly bundle: Bundle },
  role: FileRole,
  parts: LoadParts,
): Promise<Found> {
  if (role === "helper") return { kind: "helper" };
  if (role === "stray") return { kind: "stray", warning: { module, sourcePath, warnings: [strayWarning] } };
  if (role === "wrong_export")
    return { kind: "failed", error: wrongExport(sourcePath, bundle.exports.join(", ")) };
  let host: ExtensionHost;
  try {
    host = await parts.host(module, bundle);
  } catch (error) {
    return { kind: "failed", error: loadErrorOf(sourcePath, error) };
  }
  if (role === "perhaps_helper" && host.description.name === null) {
    await host.end();
    return { kind: "helper" };
  }
  return complete(module, sourcePath, host, parts);
}

/** Checks settings and members; an extension with a fault is ended again. */
async function complete(
  module: string,
  sourcePath: string | null,
  host: ExtensionHost,
  parts: LoadParts,
): Promise<Found> {
  const { description } = host;
  const { name, version } = description;
  const checked: CheckedSettings =
    name === null
      ? { settings: {}, secrets: [], errors: [] }
      : await parts.settings(name, description.configSchema);
  const collection = await host.collect(parts.cwd, checked.settings);
  const reserved = module === "builtin" ? ["the module id builtin is reserved"] : [];
  const errors = [...reserved, ...inOrder(description.errors, collection.errors), ...checked.errors];
  const warnings = [...description.warnings, ...collection.warnings];
  const release = async (): Promise<void> => {
    collection.release();
    await host.end();
  };
  if (errors.length > 0 || name === null || version === null) {
    await release();
    return { kind: "invalid", error: { module, sourcePath, errors }, warnings };
  }
  const { capabilities, configSchema } = description;
  const info = { name, version, module, sourcePath, capabilities, configSchema };
  return {
    kind: "loaded",
    extension: { info, host, collection, secrets: checked.secrets, release },
    warnings,
  };
}

function inOrder(...found: readonly MemberErrors[]): string[] {
  return memberNames.flatMap((name) => found.flatMap((errors) => errors[name] ?? []));
}

function sorted(found: readonly Found[]): LoadOutcome {
  const extensions = found.flatMap((entry) => (entry.kind === "loaded" ? [entry.extension] : []));
  const validationWarnings: ValidationWarning[] = found.flatMap((entry) => {
    if (entry.kind === "stray") return [entry.warning];
    if (entry.kind !== "loaded" && entry.kind !== "invalid") return [];
    const { module, sourcePath } = entry.kind === "loaded" ? entry.extension.info : entry.error;
    const { warnings } = entry;
    return warnings.length === 0 ? [] : [{ module, sourcePath, warnings }];
  });
  return {
    extensions: extensions.toSorted((a, b) => byModule(a.info, b.info)),
    loadErrors: found
      .flatMap((entry) => (entry.kind === "failed" ? [entry.error] : []))
      .toSorted((a, b) => byCodePoint(a.sourcePath, b.sourcePath)),
    validationErrors: found
      .flatMap((entry) => (entry.kind === "invalid" ? [entry.error] : []))
      .toSorted(bySourcePath),
    validationWarnings: withTwins(extensions, validationWarnings).toSorted(bySourcePath),
  };
}

/** Two extensions of one name share their settings, which few want. */
function withTwins(
  extensions: readonly LoadedExtension[],
  warned: readonly ValidationWarning[],
): ValidationWarning[] {
  const names = extensions.map(({ info }) => info.name);
  const twins = extensions.flatMap(({ info: { name, module, sourcePath } }) => {
    const isTwin = names.indexOf(name) !== names.lastIndexOf(name);
    return isTwin ? [{ module, sourcePath, warnings: [`another extension is named ${name} too`] }] : [];
  });
  const merged = new Map<string, ValidationWarning>();
  for (const { module, sourcePath, warnings } of [...warned, ...twins]) {
    const key = `${module}\n${sourcePath ?? ""}`;
    const before = merged.get(key)?.warnings ?? [];
    merged.set(key, { module, sourcePath, warnings: [...before, ...warnings] });
  }
  return [...merged.values()];
}

interface Placed {
  readonly module: string;
  readonly sourcePath: string | null;
}

/** By module; of equal ones by source path, an object of the program first. */
export function byModule(a: Placed, b: Placed): number {
  return byCodePoint(a.module, b.module) || byCodePoint(a.sourcePath ?? "", b.sourcePath ?? "");
}

function bySourcePath(a: Placed, b: Placed): number {
  return byCodePoint(a.sourcePath ?? "", b.sourcePath ?? "") || byCodePoint(a.module, b.module);
}

function loadErrorOf(sourcePath: string, error: unknown): LoadError {
  if (error instanceof ExtensionLoadError) return error.loadError;
  const name = error instanceof Error ? error.name : typeof error;
  const message = error instanceof Error ? error.message : String(error);
  return { sourcePath, error: { name, message }, errorMessage: message.split("\n")[0] ?? message };
}
