/**
 * Web search over the providers that there are: each is asked in turn until one answers. A provider that fails costs
 * nothing but its time. docs/reference/providers.md, "Search"
 */
import { byCodePoint } from "../../events/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { ask } from "../ask.ts";
import type { ExtractedPage, SearchHit, SearchOptions, SearchProvider } from "./port.ts";

/** A provider under its name. */
export interface SearchSource {
  readonly name: string;
  readonly provider: SearchProvider;
  /** Its settings; anything. `priority`, an integer, is read here. */
  readonly config?: unknown;
}

/** What web search is made of. */
export interface WebSearchParts {
  readonly providers: readonly SearchSource[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Each provider's time. Default 15,000. */
  readonly timeoutMs?: number;
}

/** What came of asking. */
export type SearchAnswer<Value> =
  | { readonly status: "answered"; readonly provider: string; readonly value: Value }
  /** Nobody could: what became of each that was asked, in order. Empty when nobody can be asked. */
  | {
      readonly status: "failed";
      readonly failures: readonly { readonly provider: string; readonly failure: string }[];
    };

/** How to ask. */
export interface SearchQuery {
  /** Default 10. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Finds pages and reads them. Never rejects. */
export interface WebSearch {
  /** The hits of the first provider that has any; none when all that answered found nothing. */
  search(query: string, options?: SearchQuery): Promise<SearchAnswer<readonly SearchHit[]>>;
  /** The page as the first provider gives it that can read it. */
  extract(url: string, options?: Omit<SearchQuery, "limit">): Promise<SearchAnswer<ExtractedPage>>;
}

const defaultTimeoutMs = 15_000;
const defaultLimit = 10;

/** The order in which providers are asked: higher `priority` first, equal ones by name. One that is no integer is 0. */
export function inSearchOrder<Source extends Pick<SearchSource, "name" | "config">>(
  sources: readonly Source[],
): Source[] {
  return sources.toSorted(
    (a, b) => priorityOf(b.config) - priorityOf(a.config) || byCodePoint(a.name, b.name),
  );
}

/** Web search over these providers, in {@link inSearchOrder}. */
export function createWebSearch(parts: WebSearchParts): WebSearch {
  const { clock, logger, timeoutMs = defaultTimeoutMs } = parts;
  const ordered = inSearchOrder(parts.providers);

  /** @param read - `null` for what is no answer @param isEnough - whether to stop asking */
  async function askInTurn<Value>(
    operation: "search" | "extract",
    call: (provider: SearchProvider, options: SearchOptions) => unknown,
    { limit = 1, signal }: SearchQuery,
    read: (answer: unknown) => Value | null,
    isEnough: (value: Value) => boolean = () => true,
  ): Promise<SearchAnswer<Value>> {
    const failures: { provider: string; failure: string }[] = [];
    let meagre: SearchAnswer<Value> | null = null;
    for (const { name, provider, config } of ordered) {
      if (!can(provider, operation)) continue;
      const answer = await ask<unknown>(
        (fired) => call(provider, { limit, signal: fired, config: isRecord(config) ? config : {} }),
        { clock, timeoutMs, signal },
      );
      const value = answer.ok ? read(answer.value) : null;
      if (value === null) {
        const failure = answer.ok ? "invalid_answer" : answer.failure;
        logger.warn({ provider: name, operation, failure }, "a search provider failed");
        failures.push({ provider: name, failure });
      } else if (isEnough(value)) return { status: "answered", provider: name, value };
      else meagre ??= { status: "answered", provider: name, value };
      if (signal?.aborted === true) break;
    }
    return meagre ?? { status: "failed", failures };
  }

  return {
    search: (query, options = {}) => {
      const limit =
        Number.isInteger(options.limit) && Number(options.limit) >= 1 ? Number(options.limit) : defaultLimit;
      return askInTurn(
        "search",
        (provider, told) => provider.search?.(query, told),
        { ...options, limit },
        (answer) => (Array.isArray(answer) ? answer.flatMap(readHit).slice(0, limit) : null),
        (hits) => hits.length > 0,
      );
    },
    extract: (url, options = {}) =>
      askInTurn("extract", (provider, told) => provider.extract?.(url, told), options, readPage),
  };
}

function priorityOf(config: unknown): number {
  const priority = isRecord(config) ? config["priority"] : 0;
  return Number.isSafeInteger(priority) ? Number(priority) : 0;
}

/** Looking at an author's object can throw. */
function can(provider: SearchProvider, operation: "search" | "extract"): boolean {
  try {
    return typeof provider[operation] === "function";
  } catch {
    return false;
  }
}

function readHit(item: unknown): SearchHit[] {
  if (!isRecord(item)) return [];
  const { title, url, snippet } = item;
  const isHit = typeof title === "string" && typeof url === "string" && typeof snippet === "string";
  return isHit ? [{ title, url, snippet }] : [];
}

function readPage(answer: unknown): ExtractedPage | null {
  if (!isRecord(answer)) return null;
  const { url, title, content } = answer;
  const isPage = typeof url === "string" && typeof title === "string" && typeof content === "string";
  return isPage ? { url, title, content } : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
