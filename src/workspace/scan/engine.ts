/** Scans, windows and what they share. Everything here is synchronous: it belongs into a thread of its own. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { codeOf } from "../file-errors.ts";
import type { StoredManifest } from "./cache-entries.ts";
import { difference, failedScan } from "./difference.ts";
import type { Manifest, SecondLook } from "./manifest.ts";
import { ScanCache } from "./scan-cache.ts";
import { scanTree } from "./scan-tree.ts";
import type { ScanLimits, ScanOutcome, ScanTime } from "./types.ts";

/** What an engine is made of. */
export interface EngineOptions {
  readonly cacheFile: string;
  readonly home: string;
  readonly limits: ScanLimits;
  readonly time: ScanTime;
  /** An id that nobody else has. */
  readonly owner: string;
}

interface OpenWindow {
  /** The root as it was given, and as it was resolved. */
  readonly named: string;
  readonly root: string;
  readonly before: Manifest | null;
  /** In the cache; `null` when it could not be written there. */
  readonly rowId: string | null;
}

/** What is remembered of a root between scans. */
interface KnownRoot {
  readonly stored: StoredManifest;
  readonly manifest: Manifest;
}

/** Manifests that stay in memory: about 10 MB each for 20,000 files. */
const maxKnownRoots = 8;
const NO_BYTES = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** The work behind a scanner. Windows are named by numbers. */
export class ScanEngine {
  readonly #options: EngineOptions;
  readonly #cache: ScanCache;
  readonly #skipped: ReadonlySet<string>;
  readonly #windows = new Map<number, OpenWindow>();
  readonly #kept = new Map<number, readonly string[]>();
  readonly #known = new Map<string, KnownRoot>();
  #lastWindow = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { cacheFile, home, limits, owner, time } = options;
    this.#cache = new ScanCache(cacheFile, limits.cacheBytes, owner, () => time.now());
    const own = [home, cacheFile, `${cacheFile}-wal`, `${cacheFile}-shm`];
    this.#skipped = new Set(own.flatMap((place) => [path.resolve(place), resolved(place)]));
  }

  /** Scans, and opens a window, also when the scan fails. */
  open(named: string, marker: string): number {
    const root = resolved(named);
    let before: Manifest | null = null;
    let rowId: string | null = null;
    if (this.#windows.size === 0) this.#cache.refresh();
    try {
      ({ manifest: before, rowId } = this.#scan(root, undefined, { marker, named }));
    } catch (error) {
      assertOfFileSystem(error);
    }
    return this.#add({ named, root, before, rowId });
  }

  /** The window under `marker`, as a dead process left it; `null` for none. */
  recover(marker: string): number | null {
    const found = this.#cache.find(marker);
    return found === null ? null : this.#add({ ...found, rowId: found.id });
  }

  /** Scans again, and ends the window. */
  close(id: number): ScanOutcome {
    const window = this.#windows.get(id);
    if (window === undefined || window.before === null) {
      this.discard(id);
      return failedScan;
    }
    try {
      const { manifest, again } = this.#scan(window.root, window.before, null);
      const outcome = difference(window.named, window.before, manifest, again);
      const changed = outcome.files.flatMap(({ beforeSha256 }) => beforeSha256 ?? []);
      this.#cache.keep(changed);
      this.#kept.set(id, changed);
      this.#end(id);
      return outcome;
    } catch (error) {
      assertOfFileSystem(error);
      this.discard(id);
      return failedScan;
    }
  }

  /** Ends the window, and lets go of what it keeps. */
  discard(id: number): void {
    this.#end(id);
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    const others = new Set([...this.#kept.values()].flat());
    this.#cache.release(kept.filter((sha256) => !others.has(sha256)));
  }

  bytes(sha256: string): Uint8Array | null {
    return sha256 === NO_BYTES ? new Uint8Array() : this.#cache.get(sha256);
  }

  /** Ends the work with the cache. */
  shutDown(): void {
    this.#cache.close();
  }

  #scan(
    root: string,
    watched: Manifest | undefined,
    opening: { readonly marker: string; readonly named: string } | null,
  ): { readonly manifest: Manifest; readonly again: SecondLook; readonly rowId: string | null } {
    // Another process may scan the same root meanwhile. What it wrote is known then, so this scan is quicker.
    for (let attempt = 1; ; attempt += 1) {
      const known = this.#known.get(root);
      const stored = this.#cache.stored(root, known?.stored ?? null);
      const base = baseOf(stored, known);
      const found = this.#look(root, base, watched, stored?.rootId ?? null);
      const row = opening === null ? null : { ...opening, reasons: [...found.manifest.reasons].toSorted() };
      const recorded = stored === null ? null : this.#cache.record(stored, found.manifest, row);
      if (recorded === "moved" && attempt < 3) continue;
      const isRecorded = recorded !== null && recorded !== "moved";
      this.#remember(root, isRecorded ? { stored: recorded.stored, manifest: found.manifest } : null);
      return { ...found, rowId: isRecorded ? recorded.windowId : null };
    }
  }

  #look(
    root: string,
    base: Manifest | null,
    watched: Manifest | undefined,
    rootId: number | null,
  ): { readonly manifest: Manifest; readonly again: SecondLook } {
    return scanTree({
      root,
      base,
      ...(watched === undefined ? {} : { watched }),
      skipped: this.#skipped,
      limits: this.#options.limits,
      time: this.#options.time,
      store: {
        room: (files, bytes) => this.#cache.room(rootId, files, bytes),
        put: (contents) => this.#cache.put(contents),
      },
    });
  }

  #remember(root: string, known: KnownRoot | null): void {
    this.#known.delete(root);
    if (known === null) return;
    this.#known.set(root, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnownRoots && oldest !== undefined) this.#known.delete(oldest);
  }

  #add(window: OpenWindow): number {
    this.#lastWindow += 1;
    this.#windows.set(this.#lastWindow, window);
    return this.#lastWindow;
  }

  #end(id: number): void {
    const window = this.#windows.get(id);
    this.#windows.delete(id);
    if (window !== undefined && window.rowId !== null) this.#cache.endWindow(window.rowId);
  }
}

/** What the next scan stands on: the cache's word, with the rules of our own last scan if that is what it has. */
function baseOf(stored: StoredManifest | null, known: KnownRoot | undefined): Manifest | null {
  if (stored === null) return null;
  if (known !== undefined && known.stored === stored) return known.manifest;
  return { entries: stored.entries, reasons: new Set(), rulesOf: new Map() };
}

/** With every link on the way followed; as it is where there is nothing. */
function resolved(place: string): string {
  const absolute = path.resolve(place);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute; // Whoever lists it finds out what is wrong with it.
  }
}

/** A scan that meets trouble with the workspace says so; anything else is a mistake of ours. */
function assertOfFileSystem(error: unknown): void {
  if (codeOf(error) === undefined) throw error;
}
