/** What a provider of web search is asked. docs/reference/providers.md */

/** What a provider is told besides the query or the address. */
export interface SearchOptions {
  /** 1 or more; for `extract` without meaning. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** The provider's settings. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** One hit. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** The text of a page. */
export interface ExtractedPage {
  readonly url: string;
  readonly title: string;
  readonly content: string;
}

/** Finds pages, or reads them, or both: at least one of the two. */
export interface SearchProvider {
  search?(query: string, options: SearchOptions): readonly SearchHit[] | Promise<readonly SearchHit[]>;
  extract?(url: string, options: SearchOptions): ExtractedPage | Promise<ExtractedPage>;
}
