/**
 * Makes one load: finds, decides which of equal modules is kept, loads, collects, and records each step, so that the
 * status report is a fold of facts. docs/reference/extensions.md, "Loading"
 */
import type { RegistryStream } from "../actors/index.ts";
import type { Config } from "../config/index.ts";
import type { FactData } from "../events/index.ts";
import {
  discover,
  keepLast,
  loadExtensions,
  searchRoots,
  untrustedWarning,
  type LoadedExtension,
  type LoadError,
  type LoadOutcome,
  type LoadParts,
  type LoadSource,
  type OverriddenModule,
  type SearchRoot,
  type ValidationError,
} from "../extensions/index.ts";
import type { Clock, Ids, Logger } from "../ports.ts";
import type { KnownSecret } from "../secrets/index.ts";
import { builtInTools } from "../tools/index.ts";
import type { ExtensionWorkshop } from "./extension-workshop.ts";

/** Which extensions are wanted. */
export interface LoadSpec {
  readonly cwd: string;
  /** In place of what is configured; `null`: the configuration holds. */
  readonly extensionPaths: readonly string[] | null;
  /** Beside what is configured. */
  readonly extensions: readonly string[];
  /** `false`: none at all, objects of the program included. */
  readonly includeExtensions: boolean;
  /** Objects of the program too. */
  readonly includeObjects: boolean;
}

/** Extensions that are ready, and recorded. */
export interface BuiltLoad {
  readonly id: string;
  readonly generation: number;
  readonly spec: LoadSpec;
  /** By module, in code points. */
  readonly extensions: readonly LoadedExtension[];
  readonly loadErrors: readonly LoadError[];
  readonly validationErrors: readonly ValidationError[];
  readonly overridden: readonly OverriddenModule[];
  /** Epoch milliseconds. */
  readonly loadedAt: number;
}

/** The configuration of a folder. */
export interface Configured {
  readonly config: Config;
  readonly isProjectTrusted: boolean;
}

/** Where a load looks. */
export interface Places {
  readonly configured: Configured;
  readonly roots: readonly SearchRoot[];
  /** Equal for loads that look in equal places from an equal folder. */
  readonly key: string;
}

/** What building loads needs of its runtime. */
export interface LoadBuilderDeps {
  readonly configure: (cwd: string) => Promise<Configured>;
  readonly home: string;
  /** Objects of the program, in their order. */
  readonly objects: readonly unknown[];
  /** Names of model providers that the program brings. */
  readonly models: readonly string[];
  readonly workshop: ExtensionWorkshop;
  /** From now on these are hidden in what extensions say. */
  readonly hideToo: (secrets: readonly KnownSecret[]) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Makes loads. */
export class LoadBuilder {
  readonly #deps: LoadBuilderDeps;

  constructor(deps: LoadBuilderDeps) {
    this.#deps = deps;
  }

  /** Secret settings are hidden before the extension that gets them can say anything. */
  #parts(cwd: string, config: Config, generation: number): LoadParts {
    const { workshop, hideToo } = this.#deps;
    const parts = workshop.parts(cwd, config, generation);
    const settings: LoadParts["settings"] = async (name, schema) => {
      const checked = await parts.settings(name, schema);
      hideToo(checked.secrets);
      return checked;
    };
    return { ...parts, settings };
  }

  /** Where to look. Opens no extension file. @throws InvalidConfigError */
  async look(spec: LoadSpec): Promise<Places> {
    const { configure, home } = this.#deps;
    const { cwd, extensionPaths, extensions, includeExtensions, includeObjects } = spec;
    const configured = await configure(cwd);
    const places = { extensionPaths: extensionPaths ?? undefined, optionPaths: extensions };
    const roots = includeExtensions ? await searchRoots({ ...configured, home, cwd, ...places }) : [];
    const kinds = [includeExtensions, includeObjects];
    const key = JSON.stringify([cwd, kinds, roots.map(({ path, origin }) => [path, origin])]);
    return { configured, roots, key };
  }

  /**
   * Loads and records.
   *
   * @param replaces - the load whose place it takes, and whether nobody else uses that one by then
   */
  async build(
    stream: RegistryStream,
    spec: LoadSpec,
    generation: number,
    replaces: { readonly load: string; readonly isLast: () => boolean } | null,
  ): Promise<BuiltLoad> {
    const { ids, clock, logger } = this.#deps;
    const places = await this.look(spec);
    const { config } = places.configured;
    const found = await discover(places.roots);
    for (const warning of [
      ...found.warnings,
      ...disabled(spec, config),
      ...(await this.#untrusted(spec, places)),
    ])
      logger.warn({}, warning);
    const id = ids("load");
    const sources: LoadSource[] = [...found.found, ...(await this.#objects(spec, config))];
    const candidates = sources.map(({ module, sourcePath }) => ({ module, sourcePath }));
    const searchPaths = found.searchPaths.map((searchPath) => ({ ...searchPath }));
    await stream.submit("extensions.requested", {
      load: id,
      generation,
      cwd: spec.cwd,
      searchPaths,
      candidates,
    });
    const { kept, overridden } = keepLast(sources);
    await endOverridden(sources, kept);
    const outcome = await loadExtensions(kept, this.#parts(spec.cwd, config, generation));
    if (found.files.length > 0) this.#deps.workshop.tidy();
    try {
      const loadErrors = [...found.loadErrors, ...outcome.loadErrors];
      for (const { module, warnings } of outcome.validationWarnings)
        for (const warning of warnings) logger.warn({ module }, warning);
      await record(stream, id, loadErrors, outcome);
      const loadedAt = clock.now();
      await stream.submit("extensions.collected", {
        load: id,
        generation,
        loadedAt,
        replaces: replaces?.load ?? null,
        // Asked last: until here somebody else may have taken the old one, or the session may have begun to work.
        releases: replaces?.isLast() ?? false,
        ...collected(outcome.extensions),
        core: this.#core(config),
      });
      const { extensions, validationErrors } = outcome;
      return { id, generation, spec, extensions, loadErrors, validationErrors, overridden, loadedAt };
    } catch (error) {
      await Promise.all(outcome.extensions.map((extension) => extension.release()));
      await this.#takeBack(stream, id);
      throw error;
    }
  }

  /** A load that was recorded and will not be used. Why it failed is what its caller wants to hear. */
  async #takeBack(stream: RegistryStream, load: string): Promise<void> {
    try {
      await stream.submit("extensions.released", { load });
    } catch (error) {
      const reason = error instanceof Error ? error.name : typeof error;
      this.#deps.logger.warn({ reason }, "that a load of extensions failed could not be recorded");
    }
  }

  async #untrusted(
    { cwd, includeExtensions, extensionPaths }: LoadSpec,
    { configured }: Places,
  ): Promise<string[]> {
    if (!includeExtensions || extensionPaths !== null) return [];
    const warning = await untrustedWarning({ ...configured, home: this.#deps.home, cwd });
    return warning === null ? [] : [warning];
  }

  async #objects(
    { includeExtensions, includeObjects }: LoadSpec,
    { runtime }: Config,
  ): Promise<LoadSource[]> {
    if (!includeExtensions || !includeObjects || !runtime.extensions.enabled) return [];
    const { objects, workshop } = this.#deps;
    const hosted = objects.map((definition, index) => workshop.object(definition, index));
    return (await Promise.all(hosted)).map((object) => ({ ...object, sourcePath: null }));
  }

  /** Providers that were there before any extension: they win, whatever an extension says. */
  #core({ models }: Config): FactData<"extensions.collected">["core"] {
    const names = new Set(["anthropic", "openai", ...Object.keys(models), ...this.#deps.models]);
    return [...names].map((name) => ({ type: "model" as const, name }));
  }
}

/** Who names an extension wants it; that none runs is then worth a word. */
function disabled({ extensions }: LoadSpec, { runtime }: Config): string[] {
  if (runtime.extensions.enabled) return [];
  return extensions.map((place) => `extension path ${place} is not looked at: extensions are not enabled`);
}

/** Files that gave way were never started; objects were, to learn their names. */
async function endOverridden(sources: readonly LoadSource[], kept: readonly LoadSource[]): Promise<void> {
  for (const source of sources)
    if (source.sourcePath === null && !kept.includes(source)) await source.host.end();
}

/** One fact for each file, sent together: the stream takes them in this order. */
async function record(
  stream: RegistryStream,
  load: string,
  loadErrors: readonly LoadError[],
  { extensions, validationErrors, validationWarnings }: LoadOutcome,
): Promise<void> {
  await Promise.all([
    ...extensions.map(({ info, host: { sha256 } }) =>
      stream.submit("extension.loaded", { load, ...info, capabilities: [...info.capabilities], sha256 }),
    ),
    ...loadErrors.map((error) => stream.submit("extension.load_failed", { load, ...error })),
    ...validationErrors.map((invalid) => stream.submit("extension.validation_failed", { load, ...invalid })),
    ...validationWarnings.map((warned) => stream.submit("extension.warned", { load, ...warned })),
  ]);
}

function collected(
  extensions: readonly LoadedExtension[],
): Pick<FactData<"extensions.collected">, "builtIn" | "tools" | "providers"> {
  return {
    builtIn: builtInTools.map(({ name }) => name),
    tools: extensions.flatMap(({ info: { module, sourcePath }, collection }) =>
      collection.tools.map(({ name }) => ({ module, sourcePath, name })),
    ),
    providers: extensions.flatMap(({ info: { module, sourcePath }, collection }) =>
      collection.providers.map(({ type, name }) => ({ type, name, module, sourcePath })),
    ),
  };
}
