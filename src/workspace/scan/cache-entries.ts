/**
 * Manifests in the cache. An entry holds from the scan `since` until the scan `until`, so the manifest of any scan that
 * a window still needs can be read, and a scan writes only what changed.
 */
import type { Database, Statement } from "better-sqlite3";
import { type Entry, isSameEntry, type Manifest } from "./manifest.ts";
import type { CoverageReason, UnknownContent } from "./types.ts";

/** The manifest that the cache holds of a root. */
export interface StoredManifest {
  readonly rootId: number;
  readonly scan: number;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** A root that scans are remembered of. */
export interface RootRow {
  readonly rootId: number;
  readonly scan: number;
  /** Epoch milliseconds. */
  readonly used: number;
}

/** One row of `entry`, its integers as SQLite has them. */
interface Row {
  readonly path: string;
  readonly kind: string;
  readonly size: bigint | null;
  readonly mtime_ns: bigint | null;
  readonly ctime_ns: bigint | null;
  readonly inode: string | null;
  readonly mode: bigint | null;
  readonly sha256: string | null;
  readonly settled: bigint | null;
  readonly word: string | null;
}

/** The manifests of all roots. Every method may throw an error of SQLite. */
export class CacheEntries {
  readonly #db: Database;
  readonly #add: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#add = db.prepare(
      `INSERT INTO entry (root, path, since, kind, size, mtime_ns, ctime_ns, inode, mode, sha256, settled, word)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** The newest scan of `path`, absolute. */
  find(path: string): RootRow | undefined {
    const find = this.#db.prepare("SELECT id AS rootId, scan, used FROM root WHERE path = ?");
    return find.get(path) as RootRow | undefined; // the columns just named
  }

  /** Makes a root known, or says that it is of use. */
  use(path: string, now: number): RootRow {
    return this.#db
      .prepare(
        // By chance, so that a root which was evicted, or lost with the file, never comes back under its old number.
        `INSERT INTO root (id, path, scan, used) VALUES (random() & 0xfffffffffffff, ?, 0, ?)
         ON CONFLICT (path) DO UPDATE SET used = excluded.used RETURNING id AS rootId, scan, used`,
      )
      .get(path, now) as RootRow; // the columns just named
  }

  /** The entries of a root as a scan found them. */
  load(rootId: number, scan: number): Map<string, Entry> {
    const rows = this.#db
      .prepare("SELECT * FROM entry WHERE root = ? AND since <= ? AND (until IS NULL OR until > ?)")
      .safeIntegers()
      .iterate(rootId, scan, scan) as IterableIterator<Row>; // the table's columns
    const entries = new Map<string, Entry>();
    for (const row of rows) entries.set(row.path, entryOf(row));
    return entries;
  }

  /**
   * Writes what a scan found anew, in a transaction of the caller's.
   *
   * @returns the number of the scan; the old one if nothing changed
   */
  record(stored: StoredManifest, found: ReadonlyMap<string, Entry>): number {
    const { rootId, entries } = stored;
    const next = stored.scan + 1;
    const supersede = this.#superseding(rootId, next);
    let isChanged = false;
    for (const path of entries.keys()) {
      if (found.has(path)) continue;
      supersede(path);
      isChanged = true;
    }
    for (const [path, entry] of found) {
      const old = entries.get(path);
      if (old === entry) continue;
      if (old !== undefined && isSameEntry(old, entry)) {
        this.#settle(rootId, path, old, entry);
        continue;
      }
      if (old !== undefined) supersede(path);
      this.#insert(rootId, path, next, entry);
      isChanged = true;
    }
    if (!isChanged) return stored.scan;
    this.#db.prepare("UPDATE root SET scan = ? WHERE id = ?").run(next, rootId);
    return next;
  }

  /** Removes the entries that no window needs any more. */
  purge(rootId: number): void {
    this.#db
      .prepare(
        `DELETE FROM entry WHERE root = ? AND until IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM call_window w WHERE w.root = entry.root AND w.scan >= entry.since AND w.scan < entry.until)`,
      )
      .run(rootId);
  }

  /** How the newest entry of a path goes: kept for the windows that are open, if there are any. */
  #superseding(rootId: number, next: number): (path: string) => void {
    const isNeeded =
      this.#db.prepare("SELECT 1 FROM call_window WHERE root = ? LIMIT 1").get(rootId) !== undefined;
    const end = this.#db.prepare("UPDATE entry SET until = ? WHERE root = ? AND path = ? AND until IS NULL");
    const drop = this.#db.prepare("DELETE FROM entry WHERE root = ? AND path = ? AND until IS NULL");
    return (path) => void (isNeeded ? end.run(next, rootId, path) : drop.run(rootId, path));
  }

  #settle(rootId: number, path: string, old: Entry, entry: Entry): void {
    if (entry.kind !== "file" || !isSettling(old, entry)) return;
    this.#db
      .prepare("UPDATE entry SET settled = ? WHERE root = ? AND path = ? AND until IS NULL")
      .run(entry.settled ? 1 : 0, rootId, path);
  }

  #insert(rootId: number, path: string, since: number, entry: Entry): void {
    switch (entry.kind) {
      case "file": {
        const { size, mtimeNs, ctimeNs, inode, mode, sha256, unknown, settled } = entry;
        const numbers = [size, mtimeNs, ctimeNs, inode.toString(), mode] as const;
        this.#add.run(rootId, path, since, "file", ...numbers, sha256, settled ? 1 : 0, unknown);
        return;
      }
      case "link":
        return this.#insertWord(rootId, path, since, "link", entry.target);
      case "folder":
        return this.#insertWord(rootId, path, since, "folder", entry.gap);
      case "hidden":
        return this.#insertWord(rootId, path, since, "hidden", entry.isFolder ? "folder" : null);
    }
  }

  #insertWord(rootId: number, path: string, since: number, kind: Entry["kind"], word: string | null): void {
    this.#add.run(rootId, path, since, kind, null, null, null, null, null, null, null, word);
  }
}

/** A cache is written by us alone; a row that is not ours is damage, which the caller is told as such. */
function entryOf(row: Row): Entry {
  switch (row.kind) {
    case "file":
      return {
        kind: "file",
        size: Number(row.size),
        mtimeNs: row.mtime_ns ?? 0n,
        ctimeNs: row.ctime_ns ?? 0n,
        inode: BigInt(row.inode ?? 0),
        mode: Number(row.mode),
        sha256: row.sha256,
        unknown: row.word as UnknownContent | null, // written by #insert
        settled: row.settled === 1n,
      };
    case "link":
      return { kind: "link", target: row.word ?? "" };
    case "folder":
      return { kind: "folder", gap: row.word as "time_limit" | "unreadable" | null }; // written by #insert
    default:
      return { kind: "hidden", isFolder: row.word === "folder" };
  }
}

/** Whether a scan found nothing that is not written down already. */
export function isUnchanged({ entries }: StoredManifest, found: ReadonlyMap<string, Entry>): boolean {
  if (entries.size !== found.size) return false;
  for (const [path, entry] of found) {
    const old = entries.get(path);
    if (old !== entry && (old === undefined || !isSameEntry(old, entry) || isSettling(old, entry)))
      return false;
  }
  return true;
}

function isSettling(old: Entry, entry: Entry): boolean {
  return old.kind === "file" && entry.kind === "file" && old.settled !== entry.settled;
}

/** A manifest out of what the cache holds; the rules that it was made by are not held. */
export function manifestOf(
  entries: ReadonlyMap<string, Entry>,
  reasons: Iterable<CoverageReason> = [],
): Manifest {
  return { entries, reasons: new Set(reasons), rulesOf: new Map() };
}
