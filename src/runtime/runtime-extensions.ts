/** `runtime.extensions`: extensions apart from any session. docs/reference/extensions.md */
import { openRegistryStream, type Leadership, type RegistryStream } from "../actors/index.ts";
import type { Config } from "../config/index.ts";
import {
  byModule,
  type Collection,
  type ExtensionInfo,
  type LoadedExtension,
  type LoadError,
  type OverriddenModule,
  type ValidationError,
  type Zombie,
} from "../extensions/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock, Ids, Logger } from "../ports.ts";
import {
  buildStatusReport,
  type ExtensionStatusReport,
  type ReportedLoadError,
  type ReportedProviders,
  type ReportedToolConflicts,
} from "../projections/index.ts";
import type { KnownSecret } from "../secrets/index.ts";
import { builtInTools, findDuplicateTools, toolConflictReport } from "../tools/index.ts";
import { ExtensionRegistry, type LastLoadErrors } from "./extension-registry.ts";
import { ExtensionWorkshop } from "./extension-workshop.ts";
import type { House } from "./house.ts";
import { knownSecrets } from "./known-secrets.ts";
import { LoadBuilder, type BuiltLoad, type Configured } from "./load-builder.ts";
import { ChangingMasker, maskedLogger } from "./masking.ts";

/** What extensions need of their runtime. */
export interface RuntimeExtensionsParts {
  readonly id: string;
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly config: Config;
  readonly configure: (cwd: string) => Promise<Configured>;
  readonly house: House;
  /** Besides those that are configured. */
  readonly secretsOfHome: readonly KnownSecret[];
}

/** An extension as a program sees it: what it is and what it brings. */
export interface ExtensionFacts extends ExtensionInfo {
  readonly tools: readonly { readonly name: string; readonly label: string; readonly description: string }[];
  /** How many handlers each hook has. */
  readonly hooks: Collection["hooks"];
  readonly providers: readonly { readonly type: string; readonly name: string }[];
}

/** What came of `load`. */
export interface LoadedExtensions {
  readonly extensions: readonly ExtensionFacts[];
  readonly loadErrors: readonly LoadError[];
  readonly validationErrors: readonly ValidationError[];
  /** Files and objects that gave way to another of their module. */
  readonly overridden: readonly OverriddenModule[];
}

/** What a report that is made by hand is told besides. */
export interface StatusReportOptions {
  /** Given: the conflicts with built-in tools are computed, unless `toolConflicts` is given too. */
  readonly cwd?: string;
  readonly toolConflicts?: ReportedToolConflicts;
  readonly providerRegistration?: ReportedProviders;
  readonly validationErrors?: readonly ValidationError[];
}

/** `runtime.extensions`. */
export class RuntimeExtensions {
  /** @internal */
  readonly registry: ExtensionRegistry;
  readonly #workshop: ExtensionWorkshop;
  readonly #cwd: string;
  /** By the places that they look in: what a program has loaded stays until the runtime closes. */
  readonly #held = new Map<string, BuiltLoad>();

  /** @internal */
  constructor(registry: ExtensionRegistry, workshop: ExtensionWorkshop, cwd: string) {
    this.registry = registry;
    this.#workshop = workshop;
    this.#cwd = cwd;
  }

  /**
   * Loads extensions from exactly these files and folders, and keeps them until the runtime closes. Their providers are
   * registered by then. What is loaded already is not evaluated again.
   *
   * @param paths - relative ones start at the runtime's working directory; `null`: what a session there would load
   * @param options.extensions - files and folders beside those
   * @returns sorted: extensions by module, errors by source path
   * @throws InvalidConfigError
   */
  async load(
    paths: readonly string[] | null,
    { extensions = [] }: { readonly extensions?: readonly string[] } = {},
  ): Promise<LoadedExtensions> {
    const extensionPaths = paths === null ? null : [...paths];
    const places = { cwd: this.#cwd, extensionPaths, extensions: [...extensions] };
    const load = await this.registry.acquire({
      ...places,
      includeExtensions: true,
      includeObjects: paths === null,
    });
    if (this.#held.has(load.id)) await this.registry.release(load);
    this.#held.set(load.id, load);
    const { loadErrors, validationErrors, overridden } = load;
    return { extensions: load.extensions.map(factsOf), loadErrors, validationErrors, overridden };
  }

  /** What is known of these extensions; defaults stand for what an object without validation does not say. */
  info(extensions: readonly object[]): ExtensionInfo[] {
    return extensions.map(infoOf);
  }

  /** The valid extensions that are loaded in this runtime, by module. */
  list(): ExtensionInfo[] {
    const newestFirst = this.registry.loads.toSorted((a, b) => b.generation - a.generation);
    const found = new Map<string, ExtensionInfo>();
    for (const { extensions } of newestFirst) {
      for (const { info } of extensions) {
        const key = `${info.module}\n${info.sourcePath ?? ""}`;
        if (!found.has(key)) found.set(key, info);
      }
    }
    return [...found.values()].toSorted(byModule);
  }

  /** Where a loaded module came from; `null` for an unknown one and for an object of the program. */
  sourcePath(module: string): string | null {
    return this.list().find((info) => info.module === module)?.sourcePath ?? null;
  }

  /** Names that extensions provide more than once, each with its modules, before built-in tools are looked at. */
  findDuplicateTools(extensions: readonly ExtensionFacts[]): Readonly<Record<string, readonly string[]>> {
    return findDuplicateTools(
      extensions.flatMap(({ module, sourcePath, tools }) =>
        tools.map(({ name }) => ({ module, sourcePath, name })),
      ),
    );
  }

  /** What became of the providers of these extensions, which were registered when they were loaded. */
  registerProviders(extensions: readonly ExtensionFacts[]): ReportedProviders {
    return this.registry.providersOf(new Set(extensions.map(({ module }) => module)));
  }

  /** A status report made by hand. docs/reference/status-report.md */
  buildStatusReport(
    extensions: readonly ExtensionFacts[],
    loadErrors: readonly LoadError[],
    about: StatusReportOptions = {},
  ): ExtensionStatusReport {
    const { cwd, toolConflicts, providerRegistration = null, validationErrors = [] } = about;
    const reported = loadErrors.map((error) => ({ ...error }));
    return buildStatusReport({
      extensions,
      loadErrors: reported,
      loadedAt: this.lastLoadErrors().loadedAt,
      validationErrors,
      providerRegistration,
      toolConflicts: toolConflicts ?? (cwd === undefined ? null : conflictsOf(extensions, reported)),
    });
  }

  /** What is loaded in this runtime, and what the newest load could not. Loads nothing. */
  status(): ExtensionStatusReport {
    const { errors, loadedAt } = this.lastLoadErrors();
    return buildStatusReport({
      extensions: this.list(),
      loadErrors: errors.map((error) => ({ ...error })),
      loadedAt,
    });
  }

  /** Load errors of the newest load, and when it was made; no errors and `null` before the first. */
  lastLoadErrors(): LastLoadErrors {
    return this.registry.lastErrors;
  }

  /** Gives back what was loaded, and waits a little for the workers to go. @internal */
  async close(): Promise<readonly Zombie[]> {
    await Promise.all([...this.#held.values()].map((load) => this.registry.release(load)));
    return this.#workshop.close();
  }
}

/** Puts the parts of a runtime's extensions together. Nothing is loaded yet. @internal */
export function runtimeExtensions(
  parts: RuntimeExtensionsParts,
  options: {
    readonly cwd: string;
    readonly objects: readonly unknown[];
    readonly models: readonly string[];
    readonly onOutput: ((module: string, line: string) => void) | undefined;
  },
): RuntimeExtensions {
  const { clock, ids, logger, env, home, config, configure, house } = parts;
  const known = [...knownSecrets(config, env), ...parts.secretsOfHome];
  const mask = new ChangingMasker(known);
  const hidden = maskedLogger(logger, mask);
  const tell = options.onOutput ?? ((module: string, line: string) => logger.info({ module }, line));
  const workshop = new ExtensionWorkshop({
    home,
    clock,
    logger: hidden,
    env,
    memoryLimitMb: config.extensions.memoryLimitMb,
    supervisor: () => house.workers,
    // Workers tell of themselves only after they were started, and by then the registry is there.
    events: {
      restarted: (module, generation, cause, restarts) =>
        registry.record("extension.restarted", { module, generation, cause, restarts }),
      quarantined: (module, generation, reason, since, restarts, sourcePath) =>
        registry.record("extension.quarantined", {
          module,
          sourcePath,
          generation,
          reason,
          since,
          restarts,
        }),
      output: (module, line) => tell(module, mask.json(line)),
    },
  });
  const { models, objects } = options;
  // Settings of extensions that were loaded once stay secret: what was said under them may still turn up.
  const hideToo = (secrets: readonly KnownSecret[]): void => {
    const isNew = ({ name, value }: KnownSecret): boolean =>
      !known.some((secret) => secret.name === name && secret.value === value);
    known.push(...secrets.filter(isNew));
    mask.hide(known);
  };
  const builder = new LoadBuilder({
    // Another folder may have secrets of its own.
    configure: async (folder) => {
      const configured = await configure(folder);
      hideToo(knownSecrets(configured.config, env));
      return configured;
    },
    home,
    objects,
    models,
    workshop,
    hideToo,
    clock,
    ids,
    logger: hidden,
  });
  const stream = (): Promise<RegistryStream> => startedRegistry(parts, mask);
  const registry: ExtensionRegistry = new ExtensionRegistry({ stream, builder, workshop, logger: hidden });
  return new RuntimeExtensions(registry, workshop, options.cwd);
}

/** The registry's stream, under its supervisor. */
async function startedRegistry(parts: RuntimeExtensionsParts, mask: ChangingMasker): Promise<RegistryStream> {
  const { id: runtimeId, log, leadership, clock, logger, house } = parts;
  const stream = await openRegistryStream({ runtimeId, log, leadership, clock, logger, mask });
  await house.extensions.startChild({ id: "registry", start: () => stream.start() });
  return stream;
}

/** Who has which name among these and the built-in tools. */
function conflictsOf(
  extensions: readonly ExtensionFacts[],
  loadErrors: readonly ReportedLoadError[],
): ReportedToolConflicts {
  const candidates = [
    ...builtInTools.map(({ name }) => ({ name, source: "builtin" as const })),
    ...extensions.flatMap(({ module, sourcePath, tools }) =>
      tools.map(({ name }) => ({ name, source: { kind: "extension" as const, id: module }, sourcePath })),
    ),
  ];
  return toolConflictReport(candidates, { loadErrors });
}

function factsOf({ info, collection }: LoadedExtension): ExtensionFacts {
  const tools = collection.tools.map(({ name, label, description }) => ({ name, label, description }));
  const providers = collection.providers.map(({ type, name }) => ({ type, name }));
  return { ...info, tools, hooks: collection.hooks, providers };
}

function infoOf(extension: object): ExtensionInfo {
  const { name, ...told } = extension as Partial<ExtensionInfo>;
  return {
    name: name ?? "unknown",
    version: told.version ?? "0.0.0",
    module: told.module ?? name ?? "unknown",
    sourcePath: told.sourcePath ?? null,
    capabilities: told.capabilities ?? [],
    configSchema: told.configSchema ?? {},
  };
}
