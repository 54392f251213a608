/**
 * What the registry of extensions holds, load by load: the facts of `extensions-<runtime id>` added up. Status reports
 * are made of it. docs/reference/extensions.md
 */
import type { FactData, FactOf } from "../events/index.ts";
import type { Projection } from "./projection.ts";

type Requested = FactData<"extensions.requested">;
type Collected = FactData<"extensions.collected">;

/** One load: the extensions for one working directory and one list of places, as they were found at one time. */
export interface LoadView {
  readonly load: string;
  readonly generation: number;
  readonly cwd: string;
  readonly searchPaths: Requested["searchPaths"];
  readonly overridden: readonly Omit<FactData<"extension.overridden">, "load">[];
  readonly extensions: readonly Omit<FactData<"extension.loaded">, "load">[];
  readonly loadErrors: readonly Omit<FactData<"extension.load_failed">, "load">[];
  readonly validationErrors: readonly Omit<FactData<"extension.validation_failed">, "load">[];
  readonly validationWarnings: readonly Omit<FactData<"extension.warned">, "load">[];
  /** Epoch milliseconds; `null` until all is collected. */
  readonly loadedAt: number | null;
  readonly builtIn: readonly string[];
  readonly tools: Collected["tools"];
  readonly shadowed: readonly Omit<FactData<"tool.shadowed">, "load">[];
  readonly registered: readonly Omit<FactData<"provider.registered">, "load">[];
  readonly conflicts: readonly Omit<FactData<"provider.conflicted">, "load">[];
  /** It took the place of another load. */
  readonly isReload: boolean;
}

/** An extension that ended too often. */
export interface QuarantineView {
  readonly module: string;
  readonly sourcePath: string;
  readonly generation: number;
  readonly reason: string;
  readonly since: number;
  readonly restarts: number;
}

/** The registry after a fact. */
export interface ExtensionRegistryView {
  /** Loads that somebody uses, by id. */
  readonly loads: Readonly<Record<string, LoadView>>;
  readonly quarantined: readonly QuarantineView[];
  /** Id of the newest load that is complete. */
  readonly newest: string | null;
}

type RegistryFact =
  | "extensions.requested"
  | "extension.overridden"
  | "extension.loaded"
  | "extension.load_failed"
  | "extension.validation_failed"
  | "extension.warned"
  | "extensions.collected"
  | "tool.shadowed"
  | "provider.registered"
  | "provider.conflicted"
  | "extensions.reloaded"
  | "extensions.released"
  | "extension.quarantined";

/** The registry of extensions of a runtime. */
export const extensionRegistry: Projection<ExtensionRegistryView, RegistryFact> = {
  name: "extension_registry",
  version: 1,
  initial: { loads: {}, quarantined: [], newest: null },
  types: {
    "extensions.requested": true,
    "extension.overridden": true,
    "extension.loaded": true,
    "extension.load_failed": true,
    "extension.validation_failed": true,
    "extension.warned": true,
    "extensions.collected": true,
    "tool.shadowed": true,
    "provider.registered": true,
    "provider.conflicted": true,
    "extensions.reloaded": true,
    "extensions.released": true,
    "extension.quarantined": true,
  },
  fold: foldRegistry,
};

/** Before anything of a load is known. */
function noLoad({ load, generation, cwd, searchPaths }: Requested): LoadView {
  return {
    load,
    generation,
    cwd,
    searchPaths,
    overridden: [],
    extensions: [],
    loadErrors: [],
    validationErrors: [],
    validationWarnings: [],
    loadedAt: null,
    builtIn: [],
    tools: [],
    shadowed: [],
    registered: [],
    conflicts: [],
    isReload: false,
  };
}

function foldRegistry(view: ExtensionRegistryView, fact: FactOf<RegistryFact>): ExtensionRegistryView {
  switch (fact.type) {
    case "extensions.requested":
      return { ...view, loads: { ...view.loads, [fact.data.load]: noLoad(fact.data) } };
    case "extension.overridden":
      return added(view, "overridden", fact.data);
    case "extension.loaded":
      return added(view, "extensions", fact.data);
    case "extension.load_failed":
      return added(view, "loadErrors", fact.data);
    case "extension.validation_failed":
      return added(view, "validationErrors", fact.data);
    case "extension.warned":
      return added(view, "validationWarnings", fact.data);
    case "tool.shadowed":
      return added(view, "shadowed", fact.data);
    case "provider.registered":
      return added(view, "registered", fact.data);
    case "provider.conflicted":
      return added(view, "conflicts", fact.data);
    case "extensions.collected": {
      const { load, loadedAt, builtIn, tools, replaces, releases } = fact.data;
      const next = changed(view, load, (known) => ({ ...known, loadedAt, builtIn, tools }));
      return { ...(releases && replaces !== null ? without(next, replaces) : next), newest: load };
    }
    case "extensions.reloaded":
      return changed(view, fact.data.load, (known) => ({ ...known, isReload: true }));
    case "extensions.released":
      return without(view, fact.data.load);
    case "extension.quarantined":
      return { ...view, quarantined: [...view.quarantined, fact.data] };
  }
}

type ListName = {
  [Key in keyof LoadView]: LoadView[Key] extends readonly { readonly [key: string]: unknown }[] ? Key : never;
}[keyof LoadView];

function added(
  view: ExtensionRegistryView,
  list: ListName,
  { load, ...entry }: { readonly load: string } & object,
): ExtensionRegistryView {
  return changed(view, load, (known) => ({ ...known, [list]: [...known[list], entry] }));
}

function changed(
  view: ExtensionRegistryView,
  load: string,
  change: (known: LoadView) => LoadView,
): ExtensionRegistryView {
  const known = view.loads[load];
  return known === undefined ? view : { ...view, loads: { ...view.loads, [load]: change(known) } };
}

/** A load that nobody uses any more, and what of its generation was quarantined if no other load has that. */
function without(view: ExtensionRegistryView, load: string): ExtensionRegistryView {
  const { [load]: _gone, ...loads } = view.loads;
  const generations = new Set(Object.values(loads).map(({ generation }) => generation));
  return {
    loads,
    quarantined: view.quarantined.filter(({ generation }) => generations.has(generation)),
    newest: view.newest === load ? null : view.newest,
  };
}
