/** What a memory provider keeps and is asked. docs/reference/providers.md */

/** How far a memory reaches. */
export const memoryScopes = ["session", "agent", "workspace", "all"] as const;

/** See {@link memoryScopes}. */
export type MemoryScope = (typeof memoryScopes)[number];

/** One remembered text. */
export interface MemoryDocument {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a provider is told besides the document or the query. */
export interface MemoryOptions {
  readonly scope: MemoryScope;
  /** 1 or more; for `put` without meaning. */
  readonly limit: number;
  /** Fires at the provider's deadline. */
  readonly signal: AbortSignal;
  /** The provider's settings. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Keeps documents somewhere and finds them again. */
export interface MemoryProvider {
  put(document: MemoryDocument, options: MemoryOptions): unknown;
  search(
    query: string,
    options: MemoryOptions,
  ): readonly MemoryDocument[] | Promise<readonly MemoryDocument[]>;
}
