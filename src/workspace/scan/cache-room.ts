/** How much the cache holds, and what goes when it is full: what was least recently used, but nothing that is needed. */
import type { Database } from "better-sqlite3";
import { pageBytesOf } from "./cache-file.ts";
import { isOwnerAlive, type OwnerRow } from "./cache-owner.ts";

/** Content of calls whose receipts are long written. */
const KEPT_MS = 60 * 60 * 1_000;

/** Least recently used first. Every method may throw an error of SQLite. */
export class CacheRoom {
  readonly #db: Database;
  readonly #maxBytes: number;

  constructor(db: Database, maxBytes: number) {
    this.#db = db;
    this.#maxBytes = maxBytes;
  }

  /** Bytes that can be added. */
  free(): number {
    const pages = Number(this.#db.pragma("page_count", { simple: true }));
    const unused = Number(this.#db.pragma("freelist_count", { simple: true }));
    // A little stays for entries and windows.
    return this.#maxBytes - this.#maxBytes / 64 - (pages - unused) * pageBytesOf(this.#db);
  }

  /** What so much content takes up, at most. */
  static cost(files: number, bytes: number, pageBytes: number): number {
    // A page at the end of each that is not full, and its rows.
    return bytes + Math.ceil(bytes / pageBytes) * 8 + files * Math.min(pageBytes, 1_024 + bytes / files);
  }

  /**
   * Makes room for contents of the root that is being scanned.
   *
   * @returns bytes of content that there is room for
   */
  make(rootId: number, files: number, bytes: number, now: number): number {
    const pageBytes = pageBytesOf(this.#db);
    const cost = CacheRoom.cost(Math.max(1, files), bytes, pageBytes);
    if (this.free() < cost) this.#evict(rootId, cost + this.#maxBytes / 16, now);
    const free = this.free();
    return free >= cost ? bytes : Math.max(0, Math.floor(bytes * (free / cost)));
  }

  #evict(rootId: number, wanted: number, now: number): void {
    this.#db
      .transaction(() => {
        this.#evictUnneeded(rootId, wanted);
        if (this.free() >= wanted) return;
        this.#db.prepare("DELETE FROM kept WHERE at < ?").run(now - KEPT_MS);
        this.#dropDeadWindows();
        this.#evictUnneeded(rootId, wanted);
      })
      .immediate();
  }

  /** Windows of processes that are gone, which nobody has asked for. */
  #dropDeadWindows(): void {
    const owners = this.#db.prepare("SELECT * FROM owner").all() as OwnerRow[]; // the table's columns
    const alive = owners.filter(isOwnerAlive).map(({ id }) => id);
    this.#db
      .prepare(`DELETE FROM call_window WHERE owner NOT IN (${alive.map(() => "?").join(", ")})`)
      .run(...alive);
    this.#db.exec(
      `DELETE FROM entry WHERE until IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM call_window w WHERE w.root = entry.root AND w.scan >= entry.since AND w.scan < entry.until)`,
    );
  }

  #evictUnneeded(rootId: number, wanted: number): void {
    for (const { root, sha256 } of this.#candidates(rootId)) {
      if (this.free() >= wanted) return;
      if (root !== null) this.#dropRoot(root);
      else this.#db.prepare("DELETE FROM content WHERE sha256 = ?").run(sha256);
    }
  }

  /** Contents that no scan stands on, and roots without a window: each by when it was last of use. */
  #candidates(rootId: number): { readonly root: number | null; readonly sha256: string | null }[] {
    return this.#db
      .prepare(
        `WITH used_by_scans AS (SELECT sha256 FROM entry WHERE sha256 IS NOT NULL UNION SELECT sha256 FROM kept)
         SELECT NULL AS root, sha256, used FROM content WHERE sha256 NOT IN used_by_scans
         UNION ALL
         SELECT id, NULL, used FROM root WHERE id <> ? AND id NOT IN (SELECT root FROM call_window)
         ORDER BY used`,
      )
      .all(rootId) as { root: number | null; sha256: string | null }[]; // the columns just named
  }

  #dropRoot(root: number): void {
    this.#db.exec("CREATE TEMP TABLE IF NOT EXISTS orphan (sha256 TEXT PRIMARY KEY)");
    this.#db
      .prepare("INSERT OR IGNORE INTO orphan SELECT sha256 FROM entry WHERE root = ? AND sha256 IS NOT NULL")
      .run(root);
    this.#db.prepare("DELETE FROM entry WHERE root = ?").run(root);
    this.#db.prepare("DELETE FROM root WHERE id = ?").run(root);
    this.#db.exec(
      `DELETE FROM orphan WHERE sha256 IN (SELECT sha256 FROM entry WHERE sha256 IS NOT NULL UNION SELECT sha256 FROM kept);
       DELETE FROM content WHERE sha256 IN orphan;
       DELETE FROM orphan;`,
    );
  }
}
