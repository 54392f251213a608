/**
 * The extensions that judge stored sessions: found and loaded as for a session, in workers of their own, and recorded
 * nowhere. docs/reference/what-if.md, "Which extensions judge"
 */
import path from "node:path";
import type { HookSource } from "../../actors/index.ts";
import {
  discover,
  keepLast,
  loadExtensions,
  searchRoots,
  type LoadedExtension,
  type LoadParts,
  type LoadSource,
  type SearchRoot,
} from "../../extensions/index.ts";
import { silentLogger, type Logger } from "../../ports.ts";
import type { KnownSecret } from "../../secrets/index.ts";
import { openPolicy, type ToolRegistry } from "../../tools/index.ts";
import { equip, type Equipment } from "../equipment.ts";
import { InvalidExtensionsError } from "../errors.ts";
import type { ExtensionWorkshop } from "../extension-workshop.ts";
import type { Configured } from "../load-builder.ts";

/** What a cast is made with. */
export interface CastParts {
  readonly workshop: ExtensionWorkshop;
  readonly configure: (cwd: string) => Promise<Configured>;
  readonly home: string;
  /** Where relative paths start. */
  readonly cwd: string;
  /** Paths of files and folders, and objects of the program. */
  readonly extensions: readonly (string | object)[];
  /** Hidden from now on. */
  readonly hideToo: (secrets: readonly KnownSecret[]) => void;
  readonly logger: Logger;
}

/** Of one generation: the bundles stay, and a worker that was given back is started afresh. */
const GENERATION = 1;
const everything = { disabled: [], enabledOnly: null, toolPolicy: openPolicy };
const nothingHanded = { customTools: null, extraTools: [] };

/** The extensions, as one session after the other has them. */
export class Cast {
  readonly #parts: CastParts;
  #loaded: LoadedExtension[] = [];
  /** Files among what was loaded. */
  #files: readonly LoadSource[] = [];
  #folder: string;

  constructor(parts: CastParts) {
    this.#parts = parts;
    this.#folder = parts.cwd;
  }

  /** Tools of these extensions beside the built-in ones; none of them is run. */
  get registry(): ToolRegistry {
    return this.#equipment.registry;
  }

  /** Whose hooks run, in their order. */
  get sources(): readonly HookSource[] {
    return this.#equipment.sources;
  }

  /** Version of a module, as it says itself; `null` for one that is not among them. */
  versionOf(module: string): string | null {
    return this.#loaded.find(({ info }) => info.module === module)?.info.version ?? null;
  }

  /**
   * Starts all of them afresh, for a session that works in a folder.
   *
   * @throws InvalidExtensionsError when one can't be used: then none is left running
   */
  async start(cwd: string): Promise<void> {
    await this.end();
    this.#folder = cwd;
    const { files, objects, roots } = await this.#look();
    const { kept } = keepLast<LoadSource>([...files, ...objects]);
    const overridden = objects.filter((object) => !kept.includes(object));
    await Promise.all(overridden.map((object) => object.host.end()));
    this.#files = kept.filter(({ sourcePath }) => sourcePath !== null);
    const loaded = await this.#load(kept);
    const empty = roots.filter(
      (root) =>
        !loaded.some(({ info }) => isBelow(info.sourcePath, root.path)) && !isOverridden(root, files, kept),
    );
    this.#loaded = loaded;
    if (empty.length === 0) return;
    await this.end();
    throw new InvalidExtensionsError(empty.map((root) => `${root.path}: no extension is there`));
  }

  /** Starts one afresh: its worker was ended. */
  async restart(module: string): Promise<void> {
    const place = this.#loaded.findIndex(({ info }) => info.module === module);
    const old = this.#loaded[place];
    if (old === undefined) return;
    await old.release();
    const [fresh] = await this.#load(this.#files.filter((source) => source.module === module));
    if (fresh !== undefined) this.#loaded = this.#loaded.with(place, fresh);
  }

  /** Made once for each list of extensions: the list is its key. */
  get #equipment(): Equipment {
    return equip(this.#loaded, everything, nothingHanded, silentLogger);
  }

  /** Ends all of them. */
  async end(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = [];
    await Promise.all(loaded.map((extension) => extension.release()));
  }

  /** What is to be loaded: files as they are found now, and objects, each in a host of its own. */
  async #look(): Promise<{
    readonly roots: readonly SearchRoot[];
    readonly files: readonly LoadSource[];
    readonly objects: readonly (LoadSource & { readonly sourcePath: null })[];
  }> {
    const { configure, home, cwd, extensions, workshop } = this.#parts;
    const paths = extensions.flatMap((each) => (typeof each === "string" ? [path.resolve(cwd, each)] : []));
    const configured = await configure(cwd);
    if (extensions.length > 0 && !configured.config.runtime.extensions.enabled)
      throw new InvalidExtensionsError(["extensions are not enabled"]);
    const roots = await searchRoots({ ...configured, home, cwd, extensionPaths: paths });
    const { found, loadErrors, warnings } = await discover(roots);
    const faults = [
      ...loadErrors.map(({ sourcePath, errorMessage }) => `${sourcePath}: ${errorMessage}`),
      ...warnings,
    ];
    if (faults.length > 0) throw new InvalidExtensionsError(faults);
    const definitions = extensions.filter((each) => typeof each !== "string");
    const hosted = await Promise.all(definitions.map((each, index) => workshop.object(each, index)));
    return { roots, files: found, objects: hosted.map((object) => ({ ...object, sourcePath: null })) };
  }

  async #load(sources: readonly LoadSource[]): Promise<LoadedExtension[]> {
    const { workshop, configure, hideToo, logger } = this.#parts;
    const { config } = await configure(this.#folder);
    const parts = workshop.parts(this.#folder, config, GENERATION);
    const settings: LoadParts["settings"] = async (name, schema) => {
      const checked = await parts.settings(name, schema);
      hideToo(checked.secrets);
      return checked;
    };
    const outcome = await loadExtensions(sources, { ...parts, settings });
    const faults = [
      ...outcome.loadErrors.map(({ sourcePath, errorMessage }) => `${sourcePath}: ${errorMessage}`),
      ...outcome.validationErrors.map(
        ({ module, sourcePath, errors }) => `${sourcePath ?? module}: ${errors.join("; ")}`,
      ),
    ];
    if (faults.length > 0) {
      await Promise.all(outcome.extensions.map((extension) => extension.release()));
      throw new InvalidExtensionsError(faults);
    }
    for (const { module, warnings } of outcome.validationWarnings)
      for (const warning of warnings) logger.warn({ module }, warning);
    return [...outcome.extensions];
  }
}

function isBelow(sourcePath: string | null, root: string): boolean {
  return sourcePath !== null && (sourcePath === root || sourcePath.startsWith(root + path.sep));
}

/** Whether everything that was found there gave way to another of its module. */
function isOverridden(
  { path: root }: SearchRoot,
  files: readonly LoadSource[],
  kept: readonly LoadSource[],
): boolean {
  const here = files.filter(({ sourcePath }) => isBelow(sourcePath, root));
  return here.length > 0 && here.every((file) => !kept.includes(file));
}
