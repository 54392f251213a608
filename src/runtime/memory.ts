/** `runtime.memory` and `runtime.search`: what the providers of extensions and the built-in one remember and find. */
import path from "node:path";
import type { Json } from "../events/index.ts";
import {
  createMemory,
  createWebSearch,
  localMemory,
  type LocalMemory,
  type Memory,
  type MemoryDiagnostics,
  type MemoryDocument,
  type MemoryQuery,
  type WebSearch,
} from "../providers/index.ts";
import type { Clock, Logger } from "../ports.ts";
import type { Masker } from "../secrets/index.ts";
import type { ExtensionRegistry } from "./extension-registry.ts";

/** What memory and search need of their runtime. */
export interface RecallParts {
  readonly home: string;
  readonly registry: ExtensionRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mask: Masker;
}

/** The memory of a runtime. The built-in provider `local` keeps its documents in `<home>/memory.db`. */
export class RuntimeMemory {
  readonly #parts: RecallParts;
  readonly #putting = new Set<Promise<void>>();
  #local: LocalMemory | null = null;

  /** @internal */
  constructor(parts: RecallParts) {
    this.#parts = parts;
  }

  /**
   * Hands a document, secrets hidden, to every enabled provider of its scope, and does not wait for them. What is no
   * document is dropped with a log line.
   */
  put(document: MemoryDocument): void {
    const memory = this.#memory();
    memory.put(document);
    const settled = memory.settled().then(() => void this.#putting.delete(settled));
    this.#putting.add(settled);
  }

  /** What the enabled providers of a scope find in their time, newest first, each document once. Never rejects. */
  search(query: string, options?: MemoryQuery): Promise<MemoryDocument[]> {
    return this.#memory().search(query, options);
  }

  /** What may be shown of the providers: never label, settings or content. */
  diagnostics(): MemoryDiagnostics {
    return this.#memory().diagnostics();
  }

  /** Waits for what is under way. @internal */
  async close(): Promise<void> {
    await Promise.all(this.#putting);
    this.#local?.close();
  }

  /** Over the providers of now: a reload may have changed them. */
  #memory(): Memory {
    const { home, registry, clock, logger, mask } = this.#parts;
    this.#local ??= localMemory({ file: path.join(home, "memory.db"), clock });
    const own = { id: "local", provider: this.#local, source: "builtin" };
    const added = registry.memoryProviders().map(({ name, provider, config, extension }) => ({
      id: name,
      provider,
      config,
      source: `extension:${extension}`,
    }));
    return createMemory({
      providers: [own, ...added],
      clock,
      logger,
      mask: <Value extends Json>(value: Value) => mask.json(value),
    });
  }
}

/** Web search over the providers of now. */
export function runtimeSearch({ registry, clock, logger }: RecallParts): WebSearch {
  const search = (): WebSearch => createWebSearch({ providers: registry.searchProviders(), clock, logger });
  return {
    search: (query, options) => search().search(query, options),
    extract: (url, options) => search().extract(url, options),
  };
}
