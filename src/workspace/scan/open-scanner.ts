/** The scanner of a workspace, as the rest of the runtime sees it. */
import path from "node:path";
import { messageOf } from "../../errors.ts";
import { silentLogger } from "../../ports.ts";
import { failedScan } from "./difference.ts";
import type { ScanHost } from "./host.ts";
import {
  defaultScanLimits,
  type ScannerOptions,
  type ScanOutcome,
  type ScanWindow,
  type WorkspaceScanner,
} from "./types.ts";

/**
 * A scanner of workspaces. Nothing is loaded, started or opened before its first use. docs/reference/coverage.md
 *
 * @example
 * const scanner = openWorkspaceScanner({ cacheFile: join(home, "scan-cache.db") });
 * const window = await scanner.open(cwd, "session-x:17");
 * await runTheTool();
 * const { files, coverage } = await window.close();
 */
export function openWorkspaceScanner(options: ScannerOptions): WorkspaceScanner {
  return new LazyScanner(options);
}

class LazyScanner implements WorkspaceScanner {
  readonly #options: ScannerOptions;
  #host: ScanHost | null = null;
  #starting: Promise<ScanHost> | null = null;
  #owner: string | null = null;
  #isClosed = false;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  async open(root: string, marker: string, signal?: AbortSignal): Promise<ScanWindow> {
    signal?.throwIfAborted();
    const opening = this.#start().then((host) => this.#openAt(host, root, marker));
    if (signal === undefined) return opening;
    const aborted = abortOf(signal);
    try {
      return await Promise.race([opening, aborted.promise]);
    } catch (error) {
      // The scan goes on in its thread, and its window is not wanted any more.
      opening.then(
        (window) => window.discard(),
        () => undefined, // It did not come to a window, and the caller hears why.
      );
      throw error;
    } finally {
      aborted.forget();
    }
  }

  async recover(marker: string): Promise<ScanWindow | null> {
    const host = await this.#start();
    const id = await host.recover(marker).catch(this.#otherwise(null));
    return id === null ? null : this.#windowOf(host, id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const host = (await this.#starting) ?? this.#host;
    if (host === null || host.isOver) return;
    await host.shutDown().catch(this.#otherwise(undefined));
  }

  async #openAt(host: ScanHost, root: string, marker: string): Promise<ScanWindow> {
    const id = await host.open(root, marker).catch(this.#otherwise(null));
    return id === null ? failedWindow : this.#windowOf(host, id);
  }

  #windowOf(host: ScanHost, id: number): ScanWindow {
    let closing: Promise<ScanOutcome> | undefined;
    return {
      close: () => (closing ??= host.close(id).catch(this.#otherwise(failedScan))),
      discard: () => host.discard(id).catch(this.#otherwise(undefined)),
      bytes: async (sha256) => {
        if (this.#isClosed) return null;
        return (await this.#start()).bytes(sha256).catch(this.#otherwise(null));
      },
    };
  }

  /** The host, a new one if the last has ended. */
  async #start(): Promise<ScanHost> {
    if (this.#isClosed) throw new Error("the scanner of the workspace is closed");
    if (this.#host !== null && !this.#host.isOver) return this.#host;
    this.#starting ??= this.#make().finally(() => (this.#starting = null));
    return (this.#host = await this.#starting);
  }

  /** What to answer when the thread has ended, or met a mistake of ours: never a failure of the call. */
  #otherwise<Value>(value: Value): (error: unknown) => Value {
    return (error) => {
      const { logger = silentLogger } = this.#options;
      logger.warn({ cause: messageOf(error) }, "the scanner of the workspace failed");
      return value;
    };
  }

  async #make(): Promise<ScanHost> {
    const { cacheFile, home = path.dirname(cacheFile), limits, patienceMs, inProcess } = this.#options;
    this.#owner ??= (await import("node:crypto")).randomUUID();
    const shared = { cacheFile, home, limits: { ...defaultScanLimits, ...limits }, owner: this.#owner };
    if (inProcess === undefined) return (await import("./thread-host.ts")).threadHost(shared, patienceMs);
    return (await import("./host.ts")).inProcessHost({ ...shared, time: inProcess });
  }
}

/** What is left of a window whose scan could not even begin. */
const failedWindow: ScanWindow = {
  close: async () => failedScan,
  discard: async () => undefined,
  bytes: async () => null,
};

function abortOf(signal: AbortSignal): { readonly promise: Promise<never>; readonly forget: () => void } {
  let forget: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error); // whatever the caller gave
    signal.addEventListener("abort", abort, { once: true });
    forget = () => signal.removeEventListener("abort", abort);
  });
  return { promise, forget };
}
