/**
 * The extensions of a runtime, load by load. A load is what a working directory and a list of places give; sessions
 * with equal ones share it, and it ends with the last of them. What is decided about it are facts of the registry's
 * stream. docs/reference/extensions.md, "Loading"
 */
import type { RegistryStream } from "../actors/index.ts";
import type { CollectedProvider, LoadError, Zombie } from "../extensions/index.ts";
import type { FactData } from "../events/index.ts";
import type { Logger } from "../ports.ts";
import {
  loadReport,
  type LoadView,
  type QuarantineView,
  type ReportedProviders,
} from "../projections/index.ts";
import type { ModelSource } from "../providers/index.ts";
import type { ExtensionWorkshop } from "./extension-workshop.ts";
import type { BuiltLoad, LoadBuilder, LoadSpec } from "./load-builder.ts";

type Typed<Type extends CollectedProvider["type"]> = Extract<CollectedProvider, { readonly type: Type }>;
/** `extension`: the name of the extension that brings it. */
type Provided<Type extends CollectedProvider["type"]> = Typed<Type> & { readonly extension: string };
type Quarantined = Pick<QuarantineView, "generation" | "sourcePath">;
type WorkerFact = FactData<"extension.restarted"> | FactData<"extension.quarantined">;

/** Model providers of extensions, as models are resolved. */
interface ProvidedModels {
  readonly models: Readonly<Record<string, ModelSource>>;
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What the registry needs of its runtime. */
export interface ExtensionRegistryDeps {
  /** The stream, which is started when it is first asked for. */
  readonly stream: () => Promise<RegistryStream>;
  readonly builder: LoadBuilder;
  readonly workshop: ExtensionWorkshop;
  readonly logger: Logger;
}

/** A load as the log has it, with what of its workers was quarantined. */
export interface RecordedLoad {
  readonly view: LoadView;
  readonly quarantined: readonly QuarantineView[];
}

/** Load errors of the newest load, and when that was in epoch milliseconds. */
export interface LastLoadErrors {
  readonly errors: readonly LoadError[];
  readonly loadedAt: number | null;
}

/** A load, and how many use it. */
interface Entry {
  readonly key: string;
  readonly built: Promise<BuiltLoad>;
  users: number;
}

/** The loads that are in use. */
export class ExtensionRegistry {
  readonly #deps: ExtensionRegistryDeps;
  /** The newest for each list of places: what a new session gets. */
  readonly #newest = new Map<string, Entry>();
  readonly #entries = new Map<string, Entry>();
  readonly #loads = new Map<string, BuiltLoad>();
  readonly #watchers = new Set<(quarantined: Quarantined) => void>();
  #generation = 1;
  #lastErrors: LastLoadErrors = { errors: [], loadedAt: null };
  #stream: RegistryStream | null = null;

  constructor(deps: ExtensionRegistryDeps) {
    this.#deps = deps;
  }

  /** See {@link LastLoadErrors}; no errors and `null` before the first load. */
  get lastErrors(): LastLoadErrors {
    return this.#lastErrors;
  }

  /** Loads in use, oldest first. */
  get loads(): readonly BuiltLoad[] {
    return [...this.#loads.values()];
  }

  /** A load for these places: one that is in use already, else a new one. Every one wants a `release`. */
  async acquire(spec: LoadSpec): Promise<BuiltLoad> {
    const places = await this.#deps.builder.look(spec);
    const known = this.#newest.get(places.key);
    if (known !== undefined) {
      known.users += 1;
      return known.built;
    }
    const built = this.#build(spec, this.#generation, null);
    const entry: Entry = { key: places.key, built, users: 1 };
    this.#newest.set(places.key, entry);
    try {
      const load = await built;
      this.#entries.set(load.id, entry);
      return load;
    } catch (error) {
      this.#drop(entry);
      throw error;
    }
  }

  /**
   * Loads again from the files as they are now. Once it resolves, the new load is recorded and whoever asked uses it
   * instead of the old one; when it rejects, nothing has changed.
   *
   * @param spec - where to look now
   * @param assertMayReplace - called when all is loaded, just before it is recorded; what it throws is passed on
   */
  async reload(old: BuiltLoad, spec: LoadSpec, assertMayReplace: () => void): Promise<BuiltLoad> {
    const entry = this.#entries.get(old.id);
    const generation = (this.#generation += 1);
    let releases = false;
    const isLast = (): boolean => {
      assertMayReplace();
      releases = entry?.users === 1;
      // Who comes from here on must not be given what is recorded as gone.
      if (releases && entry !== undefined) this.#drop(entry);
      return releases;
    };
    const { key } = await this.#deps.builder.look(spec);
    const load = await this.#build(spec, generation, { load: old.id, isLast });
    const fresh: Entry = { key, built: Promise.resolve(load), users: 1 };
    this.#newest.set(key, fresh);
    this.#entries.set(load.id, fresh);
    // Not waited for: calls in flight finish on the old one, and the new one is in place already.
    const left = releases ? this.#end(old, entry) : this.release(old);
    left.catch((error: unknown) => this.#warn(error, "an old load of extensions could not be ended"));
    return load;
  }

  /** Gives a load back. Never rejects: nobody could do anything about it. */
  async release(load: BuiltLoad): Promise<void> {
    const entry = this.#entries.get(load.id);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    try {
      await this.#stream?.submit("extensions.released", { load: load.id });
    } catch (error) {
      this.#warn(error, "the end of a load of extensions could not be recorded");
    }
    await this.#end(load, entry);
  }

  /** Model providers of extensions by name, and their settings: of those who share a name, the newest load serves. */
  modelProviders(): ProvidedModels {
    const models: Record<string, ModelSource> = {};
    const settings: Record<string, Readonly<Record<string, unknown>>> = {};
    for (const { name, provider, config } of this.#provided("model")) {
      models[name] = provider;
      settings[name] = config;
    }
    return { models, settings };
  }

  /** Memory providers of extensions, as {@link modelProviders}. */
  memoryProviders(): readonly Provided<"memory">[] {
    return this.#provided("memory");
  }

  /** Search providers of extensions, as {@link modelProviders}. */
  searchProviders(): readonly Provided<"search">[] {
    return this.#provided("search");
  }

  /** What became of the providers of these modules, over all loads in use. */
  providersOf(modules: ReadonlySet<string>): ReportedProviders {
    const reports = [...this.#loads.values()].flatMap((load) => {
      const view = this.#view(load);
      return view === undefined ? [] : [loadReport(view, []).providerRegistration];
    });
    const registered = unique(
      reports.flatMap((report) => report?.registered ?? []).filter(({ extension }) => modules.has(extension)),
    );
    const conflicts = unique(
      reports
        .flatMap((report) => report?.conflicts ?? [])
        .filter(({ winner, shadowed }) => [winner, ...shadowed].some((module) => modules.has(module))),
    );
    return { registered, conflicts, totalRegistered: registered.length, totalConflicts: conflicts.length };
  }

  /** Threads that were told to end and are inside a native call. */
  zombies(): readonly Zombie[] {
    return this.#deps.workshop.zombies;
  }

  /** Told when an extension was quarantined, once that is recorded. @returns a function that ends it */
  onQuarantine(listener: (quarantined: Quarantined) => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  /** Records what happened to a worker. */
  record(type: "extension.restarted" | "extension.quarantined", data: WorkerFact): void {
    this.#stream
      ?.submit(type, data)
      .then(() => {
        if (!("sourcePath" in data)) return;
        for (const watcher of this.#watchers) watcher(data);
      })
      .catch((error: unknown) => this.#warn(error, "what happened to a worker could not be recorded"));
  }

  /** What the log says of a load in use. */
  recorded(load: BuiltLoad): RecordedLoad {
    const view = this.#view(load);
    if (view === undefined) throw new Error(`load ${load.id} is not recorded`);
    const quarantined = this.#stream?.views.registry.quarantined ?? [];
    return { view, quarantined: quarantined.filter((each) => isIn(load, each)) };
  }

  /** `undefined` once its end is recorded. */
  #view(load: BuiltLoad): LoadView | undefined {
    return this.#stream?.views.registry.loads[load.id];
  }

  async #build(
    spec: LoadSpec,
    generation: number,
    replaces: { readonly load: string; readonly isLast: () => boolean } | null,
  ): Promise<BuiltLoad> {
    this.#stream ??= await this.#deps.stream();
    try {
      const load = await this.#deps.builder.build(this.#stream, spec, generation, replaces);
      this.#loads.set(load.id, load);
      this.#lastErrors = { errors: load.loadErrors, loadedAt: load.loadedAt };
      return load;
    } catch (error) {
      this.#forget(generation);
      throw error;
    }
  }

  #drop(entry: Entry): void {
    if (this.#newest.get(entry.key) === entry) this.#newest.delete(entry.key);
  }

  async #end(load: BuiltLoad, entry: Entry | undefined): Promise<void> {
    this.#entries.delete(load.id);
    this.#loads.delete(load.id);
    if (entry !== undefined) this.#drop(entry);
    await Promise.all(load.extensions.map((extension) => extension.release()));
    this.#forget(load.generation);
  }

  /** Bundles of a generation that no load has: the next load of it looks at the files again. */
  #forget(generation: number): void {
    const isNeeded = [...this.#loads.values()].some((load) => load.generation === generation);
    if (!isNeeded) this.#deps.workshop.forget(generation);
  }

  #provided<Type extends CollectedProvider["type"]>(type: Type): Provided<Type>[] {
    const newestFirst = [...this.#loads.values()].toSorted((a, b) => b.generation - a.generation);
    const found = new Map<string, Provided<Type>>();
    for (const load of newestFirst) {
      for (const { type: registered, name, module } of this.#view(load)?.registered ?? []) {
        if (registered !== type || found.has(name)) continue;
        const extension = load.extensions.find(({ info }) => info.module === module);
        const provider = extension?.collection.providers.find(
          (each): each is Typed<Type> => each.type === type && each.name === name,
        );
        if (provider !== undefined && extension !== undefined)
          found.set(name, { ...provider, extension: extension.info.name });
      }
    }
    return [...found.values()];
  }

  #warn(error: unknown, what: string): void {
    this.#deps.logger.warn({ reason: error instanceof Error ? error.name : typeof error }, what);
  }
}

/** Whether a load has the extension that was quarantined; another folder may have one of the same module. */
export function isIn({ generation, extensions }: BuiltLoad, quarantined: Quarantined): boolean {
  return (
    generation === quarantined.generation &&
    extensions.some(({ info }) => info.sourcePath === quarantined.sourcePath)
  );
}

/** Each value once: two loads may share a registration. */
function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
