/** The rows of facts that were fetched, a page at a time; only pages in sight are asked for. */
import type { FactRow, FactsAnswer } from "../../api.ts";
import { PAGE_ROWS, pagesFor, requestOf, rowCount, type Listed } from "../model/fact-window.ts";
import { asFault, sessionPath, type ApiFault, type Client } from "./client.ts";

/** Pages that are kept: some 20,000 rows. */
const KEPT = 100;

interface Source {
  readonly sessionId: string;
  readonly filter: string;
}

/** Rows of one list, which is another with each session and filter. */
export class FactPages {
  readonly #client: Client;
  #source: Source = { sessionId: "", filter: "" };
  #pages = new Map<number, readonly FactRow[]>();
  #asked = new Map<number, AbortController>();
  readonly #watchers = new Set<() => void>();
  #fault: ApiFault | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Why rows are missing; `null` when nothing is wrong. */
  get fault(): ApiFault | null {
    return this.#fault;
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Forgets what belongs to another list. */
  use(source: Source): void {
    if (source.sessionId === this.#source.sessionId && source.filter === this.#source.filter) return;
    this.#source = source;
    this.forget();
  }

  forget(): void {
    for (const abort of this.#asked.values()) abort.abort();
    this.#asked.clear();
    this.#pages.clear();
    this.#fault = null;
  }

  rowAt(row: number): FactRow | undefined {
    return this.#pages.get(Math.floor(row / PAGE_ROWS))?.[row % PAGE_ROWS];
  }

  /** Facts that were just appended; only a list without a filter knows their rows. */
  append(rows: readonly FactRow[]): void {
    if (this.#source.filter !== "") return;
    for (const row of rows) {
      const page = Math.floor((row.version - 1) / PAGE_ROWS);
      const known = this.#pages.get(page) ?? [];
      if (known.length === (row.version - 1) % PAGE_ROWS) this.#pages.set(page, [...known, row]);
    }
    this.#tell();
  }

  /** Fetches what is missing of rows `from` to `to`, and aborts what is no longer in sight. */
  want(listed: Listed, from: number, to: number): void {
    const pages = pagesFor(from, to);
    for (const [page, abort] of this.#asked)
      if (!pages.includes(page)) {
        abort.abort();
        this.#asked.delete(page);
      }
    for (const page of pages) {
      const expected = Math.min(PAGE_ROWS, rowCount(listed) - page * PAGE_ROWS);
      const known = this.#pages.get(page)?.length ?? 0;
      if (known < expected && !this.#asked.has(page)) void this.#fetch(listed, page);
    }
  }

  async #fetch(listed: Listed, page: number): Promise<void> {
    const request = requestOf(listed, page);
    if (request === null) return;
    const abort = new AbortController();
    this.#asked.set(page, abort);
    const { sessionId, filter } = this.#source;
    const params = { ...request, filter: filter === "" ? null : filter };
    try {
      const path = sessionPath(sessionId, "/facts", params);
      const { rows } = await this.#client.get<FactsAnswer>(path, abort.signal);
      if (abort.signal.aborted) return;
      this.#keep(page, rows);
      this.#fault = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#fault = asFault(error);
    }
    this.#asked.delete(page);
    this.#tell();
  }

  #keep(page: number, rows: readonly FactRow[]): void {
    this.#pages.delete(page);
    this.#pages.set(page, rows);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(oldest);
    }
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
