/** Where extensions are made ready: bundles, workers, settings. Costs nothing until the first file is loaded. */
import path from "node:path";
import type { Config } from "../config/index.ts";
import {
  bundleExtension,
  createHostWorld,
  HostPool,
  inProcessHost,
  objectModule,
  pruneCache,
  settingsOf,
  workerHost,
  type ExtensionHost,
  type HostEvents,
  type HostWorld,
  type LoadParts,
  type Zombie,
} from "../extensions/index.ts";
import type { Clock, Logger } from "../ports.ts";
import type { Supervisor } from "../supervision/index.ts";

/** Milliseconds that a thread may take to end before it is called stuck. */
const ENDING_MS = 1_000;

/** What a workshop needs of its runtime. */
export interface ExtensionWorkshopDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly memoryLimitMb: number;
  readonly events: HostEvents;
  /** The supervisor under which each worker has one of its own. */
  readonly supervisor: () => Supervisor;
}

/** Makes extensions ready. */
export class ExtensionWorkshop {
  readonly #deps: ExtensionWorkshopDeps;
  readonly #pool: HostPool;
  readonly #cacheDir: string;
  #world: HostWorld | null = null;
  #isTidy = false;

  constructor(deps: ExtensionWorkshopDeps) {
    this.#deps = deps;
    this.#cacheDir = path.join(deps.home, "cache", "extensions");
    this.#pool = new HostPool({
      bundle: (sourcePath) => bundleExtension(sourcePath, { cacheDir: this.#cacheDir }),
      start: (module, bundle, generation) => workerHost(this.#hostWorld(), bundle, { module, generation }),
    });
  }

  /** What loading for one folder needs. */
  parts(cwd: string, config: Config, generation: number): LoadParts {
    const { env } = this.#deps;
    return {
      cwd,
      bundle: (sourcePath) => this.#pool.bundle(sourcePath, generation),
      host: (module, bundle) => this.#pool.acquire(module, bundle, generation),
      settings: (name, schema) => settingsOf(name, schema, config.extensions.settings[name], env),
    };
  }

  /** An object of the program, and its module id. */
  async object(definition: unknown, index: number): Promise<{ module: string; host: ExtensionHost }> {
    const { clock, logger } = this.#deps;
    const host = await inProcessHost(definition, { index, clock, logger });
    return { module: objectModule(host.description, index), host };
  }

  /** Removes bundles that nobody has used for long; once in the life of a runtime, and nobody waits for it. */
  tidy(): void {
    if (this.#isTidy) return;
    this.#isTidy = true;
    void pruneCache(this.#cacheDir, this.#deps.clock.now());
  }

  /** Forgets what only an old generation needs. */
  forget(generation: number): void {
    this.#pool.forget(generation);
  }

  /** Threads that were told to end and are inside a native call. */
  get zombies(): readonly Zombie[] {
    const dueAt = this.#deps.clock.now() - ENDING_MS;
    return this.#world?.zombies().filter(({ since }) => since <= dueAt) ?? [];
  }

  /** Waits a little for the threads to go. @returns those that are inside a native call and are still there */
  async close(): Promise<readonly Zombie[]> {
    return (await this.#world?.close()) ?? [];
  }

  #hostWorld(): HostWorld {
    const { clock, logger, env, memoryLimitMb, events, supervisor } = this.#deps;
    this.#world ??= createHostWorld({
      clock,
      logger,
      env,
      cacheDir: this.#cacheDir,
      memoryLimitMib: memoryLimitMb,
      events,
      supervisor: supervisor(),
    });
    return this.#world;
  }
}
