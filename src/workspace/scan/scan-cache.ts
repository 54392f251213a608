/**
 * What scans remember: manifests, contents, and the windows that are open. It is a convenience and never a condition:
 * whatever goes wrong with it costs what it holds, and no scan.
 */
import { hash, randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import { codeOf } from "../file-errors.ts";
import { CacheEntries, isUnchanged, manifestOf, type RootRow, type StoredManifest } from "./cache-entries.ts";
import { discardCacheFile, identityOf, isDamage, openCacheFile } from "./cache-file.ts";
import { takePlace } from "./cache-owner.ts";
import { CacheRoom } from "./cache-room.ts";
import type { Manifest } from "./manifest.ts";
import type { HeldContent } from "./scan-tree.ts";
import type { CoverageReason } from "./types.ts";

/** When a workspace was last of use is written down no more often than this. */
const USED_MS = 60 * 1_000;

/** A window to write down. */
export interface WindowRow {
  readonly marker: string;
  /** The root as it was given. */
  readonly named: string;
  readonly reasons: readonly CoverageReason[];
}

/** A window as a dead process left it. */
export interface FoundWindow {
  readonly id: string;
  /** The root as it was given, and as it was resolved. */
  readonly named: string;
  readonly root: string;
  readonly before: Manifest;
}

/** One open database with its parts. */
interface Opened {
  readonly db: Database;
  readonly entries: CacheEntries;
  readonly room: CacheRoom;
  /** Of the file; `null` in memory. */
  readonly identity: string | null;
}

/** The cache of one scanner. */
export class ScanCache {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #owner: string;
  readonly #now: () => number;
  #opened: Opened | null = null;

  /** @param owner - an id that this scanner alone has */
  constructor(file: string, maxBytes: number, owner: string, now: () => number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#owner = owner;
    this.#now = now;
  }

  /** Takes the file anew when somebody has deleted it. What windows need is in the old one, so only without windows. */
  refresh(): void {
    const identity = this.#opened?.identity;
    if (identity === undefined || identity === null || identity === identityOf(this.#file)) return;
    const kept = this.#attempt(({ db }) => this.#keptContents(db)) ?? [];
    this.#shut();
    if (kept.length > 0) this.put(kept);
    this.keep(kept.map(({ sha256 }) => sha256));
  }

  /** The newest manifest of a root, or `known` if that is it. `null` when the cache can't say. */
  stored(root: string, known: StoredManifest | null): StoredManifest | null {
    const now = this.#now();
    return this.#attempt(({ db, entries }) => {
      const current = entries.find(root);
      const isFresh = current !== undefined && now - current.used < USED_MS;
      if (isFresh && isKnown(known, current)) return known;
      return db
        .transaction(() => {
          const found = entries.use(root, now);
          return isKnown(known, found)
            ? known
            : { rootId: found.rootId, scan: found.scan, entries: entries.load(found.rootId, found.scan) };
        })
        .immediate();
    });
  }

  /** For how many bytes of content there is room. */
  room(rootId: number | null, files: number, bytes: number): number {
    return this.#attempt(({ room }) => room.make(rootId ?? -1, files, bytes, this.#now())) ?? bytes;
  }

  /** @returns whether the contents are held now */
  put(contents: readonly HeldContent[]): boolean {
    const now = this.#now();
    const isHeld = this.#attempt(({ db }) => {
      const add = db.prepare(
        `INSERT INTO content (sha256, used, bytes) VALUES (?, ?, ?)
         ON CONFLICT (sha256) DO UPDATE SET used = excluded.used`,
      );
      db.transaction(() => {
        for (const { sha256, bytes } of contents) add.run(sha256, now, bytes);
      }).immediate();
      return true;
    });
    return isHeld === true;
  }

  /** The bytes with this hash; `null` when they are not held, or damaged. */
  get(sha256: string): Uint8Array | null {
    const bytes = this.#attempt(
      ({ db }) => db.prepare("SELECT bytes FROM content WHERE sha256 = ?").pluck().get(sha256) ?? null,
    );
    if (!(bytes instanceof Uint8Array)) return null;
    if (hash("sha256", bytes, "hex") === sha256) return bytes;
    this.#forget(sha256);
    return null;
  }

  /**
   * Writes down what a scan found, and the window that it opens.
   *
   * @returns `"moved"` if another process has scanned the root meanwhile; `null` when the cache failed
   */
  record(
    stored: StoredManifest,
    found: Manifest,
    opening: WindowRow | null,
  ): { readonly stored: StoredManifest; readonly windowId: string | null } | "moved" | null {
    const isSame = isUnchanged(stored, found.entries);
    if (isSame && opening === null) return { stored: { ...stored, entries: found.entries }, windowId: null };
    return this.#attempt(({ db, entries }) =>
      db
        .transaction(() => {
          const { rootId } = stored;
          const current: unknown = db.prepare("SELECT scan FROM root WHERE id = ?").pluck().get(rootId);
          if (current !== stored.scan) return "moved" as const;
          const scan = isSame ? stored.scan : entries.record(stored, found.entries);
          const windowId = opening === null ? null : this.#addWindow(db, rootId, scan, opening);
          return { stored: { rootId, scan, entries: found.entries }, windowId };
        })
        .immediate(),
    );
  }

  /** Keeps these contents until `release`, or until the scanner closes. */
  keep(sha256s: readonly string[]): void {
    if (sha256s.length === 0) return;
    this.#attempt(({ db }) => {
      const add = db.prepare("INSERT OR REPLACE INTO kept (owner, sha256, at) VALUES (?, ?, ?)");
      db.transaction(() => sha256s.map((sha256) => add.run(this.#owner, sha256, this.#now()))).immediate();
    });
  }

  release(sha256s: readonly string[]): void {
    if (sha256s.length === 0) return;
    this.#attempt(({ db }) => {
      const drop = db.prepare("DELETE FROM kept WHERE owner = ? AND sha256 = ?");
      db.transaction(() => sha256s.map((sha256) => drop.run(this.#owner, sha256))).immediate();
    });
  }

  endWindow(id: string): void {
    this.#attempt(({ db, entries }) =>
      db
        .transaction(() => {
          const root: unknown = db.prepare("SELECT root FROM call_window WHERE id = ?").pluck().get(id);
          db.prepare("DELETE FROM call_window WHERE id = ?").run(id);
          if (typeof root === "number") entries.purge(root);
        })
        .immediate(),
    );
  }

  /** The newest window under a marker. It is this scanner's from now on, and older ones of that name end. */
  find(marker: string): FoundWindow | null {
    return this.#attempt(({ db, entries }) =>
      db
        .transaction(() => {
          const row = db
            .prepare(
              `SELECT w.id, w.root, w.scan, w.named, w.reasons, r.path FROM call_window w JOIN root r ON r.id = w.root
               WHERE w.marker = ? ORDER BY w.rowid DESC LIMIT 1`,
            )
            .get(marker) as WindowJoin | undefined; // the columns just named
          if (row === undefined) return null;
          db.prepare("DELETE FROM call_window WHERE marker = ? AND id <> ?").run(marker, row.id);
          db.prepare("UPDATE call_window SET owner = ? WHERE id = ?").run(this.#owner, row.id);
          const reasons = JSON.parse(row.reasons) as CoverageReason[]; // written by #addWindow
          const before = manifestOf(entries.load(row.root, row.scan), reasons);
          return { id: row.id, named: row.named, root: row.path, before };
        })
        .immediate(),
    );
  }

  /** Ends what this scanner holds, but for open windows: they wait for whoever recovers them. */
  close(): void {
    if (this.#opened === null) return;
    this.#attempt(({ db }) => {
      db.prepare("DELETE FROM kept WHERE owner = ?").run(this.#owner);
      db.prepare("DELETE FROM owner WHERE id = ?").run(this.#owner);
    });
    this.#shut();
  }

  #addWindow(db: Database, rootId: number, scan: number, { marker, named, reasons }: WindowRow): string {
    // Not a row's number: a file that takes the place of this one would give it again.
    const id = randomUUID();
    db.prepare(
      `INSERT INTO call_window (id, owner, marker, root, scan, named, reasons, opened_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(id, this.#owner, marker, rootId, scan, named, JSON.stringify(reasons), this.#now());
    return id;
  }

  /** A damaged content: the files that have it are read again by the next scan. */
  #forget(sha256: string): void {
    this.#attempt(({ db }) => {
      db.transaction(() => {
        const at = "SELECT root FROM entry WHERE sha256 = ? AND until IS NULL";
        db.prepare(`UPDATE root SET scan = scan + 1 WHERE id IN (${at})`).run(sha256);
        db.prepare("UPDATE entry SET settled = 0 WHERE sha256 = ? AND until IS NULL").run(sha256);
        db.prepare("DELETE FROM content WHERE sha256 = ?").run(sha256);
      }).immediate();
    });
  }

  #keptContents(db: Database): HeldContent[] {
    return db
      .prepare("SELECT sha256, bytes FROM content WHERE sha256 IN (SELECT sha256 FROM kept WHERE owner = ?)")
      .all(this.#owner) as HeldContent[]; // the columns just named
  }

  /** What touches the file. A lock and a full disk cost this attempt, damage costs the file. */
  #attempt<Result>(work: (opened: Opened) => Result): Result | null {
    try {
      return work((this.#opened ??= this.#open()));
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error; // Not SQLite's: a mistake of ours.
      if (/^SQLITE_(BUSY|FULL)/.test(code)) return null;
      this.#shut();
      if (isDamage(error)) discardCacheFile(this.#file);
      return null;
    }
  }

  #open(): Opened {
    const db = openCacheFile(this.#file, this.#maxBytes);
    const opened: Opened = {
      db,
      entries: new CacheEntries(db),
      room: new CacheRoom(db, this.#maxBytes),
      identity: db.memory ? null : identityOf(this.#file),
    };
    db.transaction(() => takePlace(db, this.#owner, this.#now())).immediate();
    return opened;
  }

  #shut(): void {
    try {
      this.#opened?.db.close();
    } catch {
      // Damage that closing meets is that of a file which is given up.
    }
    this.#opened = null;
  }
}

function isKnown(known: StoredManifest | null, { rootId, scan }: RootRow): known is StoredManifest {
  return known?.rootId === rootId && known.scan === scan;
}

interface WindowJoin {
  readonly id: string;
  readonly root: number;
  readonly scan: number;
  readonly named: string;
  readonly reasons: string;
  readonly path: string;
}
