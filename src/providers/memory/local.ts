/** The built-in memory provider, `local`: one SQLite file with a full-text index, shared by all processes of a home. */
import type { Database } from "better-sqlite3";
import type { Clock } from "../../ports.ts";
import { inodeOf, openMemoryFile } from "./file.ts";
import type { MemoryDocument, MemoryOptions, MemoryProvider } from "./port.ts";
import { matchAnyWord } from "./words.ts";

/** The built-in provider, which holds a file from its first use on. */
export interface LocalMemory extends MemoryProvider {
  put(document: MemoryDocument, options: MemoryOptions): Promise<void>;
  search(query: string, options: MemoryOptions): Promise<MemoryDocument[]>;
  /** Lets go of the file; the next use opens it again. */
  close(): void;
}

/** Between two attempts to get at a file that another process has locked. */
const retryMs = 25;

const upsert = `
  INSERT INTO memory (id, scope, content, created_at, metadata)
  VALUES (@id, @scope, @content, @createdAt, @metadata)
  ON CONFLICT (id) DO UPDATE SET
    scope = excluded.scope, content = excluded.content,
    created_at = excluded.created_at, metadata = excluded.metadata
`;

const bestMatches = `
  SELECT id, scope, memory.content, created_at AS createdAt, metadata
  FROM memory_words JOIN memory ON memory.key = memory_words.rowid
  WHERE memory_words MATCH @match AND (@scope = 'all' OR scope IN (@scope, 'all'))
  ORDER BY bm25(memory_words), created_at DESC, id
  LIMIT @limit
`;

/**
 * Memory in the file at `file`, an absolute path. A document with a known id takes the other's place. A search in a
 * scope finds what is of that scope or of `all`, the best matches; a search in `all` finds everything.
 */
export function localMemory({ file, clock }: { readonly file: string; readonly clock: Clock }): LocalMemory {
  let opened: { readonly db: Database; readonly inode: number | null } | null = null;
  const close = (): void => {
    opened?.db.close();
    opened = null;
  };
  const open = (): Database => {
    // One that was deleted or replaced would still take documents, and nobody would find them again.
    if (opened !== null && opened.inode !== inodeOf(file)) close();
    if (opened === null) {
      const db = openMemoryFile(file);
      opened = { db, inode: inodeOf(file) };
    }
    return opened.db;
  };
  const use = <Result>(signal: AbortSignal, work: (db: Database) => Result): Promise<Result> =>
    patiently(clock, signal, () => {
      try {
        return work(open());
      } catch (error) {
        // A damaged file may be mended: the next use looks at what is there then.
        if (!isBusy(error)) close();
        throw error;
      }
    });
  return {
    put: (document, { signal }) =>
      use(signal, (db) => {
        const { id, scope, content, createdAt } = document;
        const metadata = JSON.stringify(document.metadata);
        db.prepare(upsert).run({ id, scope, content, createdAt, metadata });
      }),
    async search(query, { scope, limit, signal }) {
      const match = matchAnyWord(query);
      // Looking for something is no reason to make a file.
      if (match === null || inodeOf(file) === null) return [];
      return use(signal, (db) =>
        (db.prepare(bestMatches).all({ match, scope, limit }) as Row[]).map((row) => ({
          ...row,
          metadata: JSON.parse(row.metadata) as MemoryDocument["metadata"],
        })),
      );
    },
    close,
  };
}

type Row = Omit<MemoryDocument, "metadata"> & { readonly metadata: string };

/** Tries again while another process has the file, until nobody waits any more. The thread is free in between. */
async function patiently<Result>(clock: Clock, signal: AbortSignal, work: () => Result): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || signal.aborted) throw error;
      await new Promise<void>((resolve) => void clock.setTimer(retryMs, resolve));
    }
  }
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}
