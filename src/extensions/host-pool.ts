/**
 * The workers of files, shared: loads of one generation have one worker for one file. It ends with the last of them.
 * docs/reference/extensions.md, "Workers"
 */
import type { Bundle, ExtensionHost } from "./port.ts";

/** How a pool makes what it shares. */
export interface HostPoolParts {
  readonly bundle: (sourcePath: string) => Promise<Bundle>;
  /** Rejects with `ExtensionLoadError`. */
  readonly start: (module: string, bundle: Bundle, generation: number) => Promise<ExtensionHost>;
}

interface Shared {
  readonly host: Promise<ExtensionHost>;
  users: number;
}

/** Bundles and workers by file and generation. */
export class HostPool {
  readonly #parts: HostPoolParts;
  readonly #bundles = new Map<string, Promise<Bundle>>();
  readonly #hosts = new Map<string, Shared>();

  constructor(parts: HostPoolParts) {
    this.#parts = parts;
  }

  /** The bundle of a file as it was when this generation first saw it. */
  bundle(sourcePath: string, generation: number): Promise<Bundle> {
    const key = keyOf(generation, sourcePath);
    const known = this.#bundles.get(key);
    if (known !== undefined) return known;
    const fresh = this.#parts.bundle(sourcePath);
    this.#bundles.set(key, fresh);
    // A file that failed may be mended before the next load looks.
    fresh.catch(() => this.#bundles.delete(key));
    return fresh;
  }

  /** A worker for the file. Its `end` gives it back; the last to do so ends it. */
  async acquire(module: string, bundle: Bundle, generation: number): Promise<ExtensionHost> {
    const key = keyOf(generation, bundle.sourcePath);
    const shared = this.#hosts.get(key) ?? this.#start(key, module, bundle, generation);
    shared.users += 1;
    try {
      return lent(await shared.host, () => this.#giveBack(key, shared));
    } catch (error) {
      this.#hosts.delete(key);
      throw error;
    }
  }

  /** Forgets the bundles of a generation that no load uses any more. */
  forget(generation: number): void {
    const prefix = keyOf(generation, "");
    for (const key of this.#bundles.keys()) if (key.startsWith(prefix)) this.#bundles.delete(key);
  }

  #start(key: string, module: string, bundle: Bundle, generation: number): Shared {
    const shared: Shared = { host: this.#parts.start(module, bundle, generation), users: 0 };
    this.#hosts.set(key, shared);
    return shared;
  }

  async #giveBack(key: string, shared: Shared): Promise<void> {
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#hosts.delete(key);
    await (await shared.host).end();
  }
}

function keyOf(generation: number, sourcePath: string): string {
  return `${generation}\n${sourcePath}`;
}

/** The host as one of its users has it. */
function lent(host: ExtensionHost, giveBack: () => Promise<void>): ExtensionHost {
  let ending: Promise<void> | null = null;
  return {
    description: host.description,
    sha256: host.sha256,
    collect: (cwd, settings) => host.collect(cwd, settings),
    end: () => (ending ??= giveBack()),
  };
}
