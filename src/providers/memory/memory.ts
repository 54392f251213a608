/**
 * What the runtime remembers: documents go to every provider of their scope, and a search asks all of them at once. A
 * provider that fails costs its own answer. docs/reference/providers.md, "Memory"
 */
import type { Json } from "../../events/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { ask, type Answer } from "../ask.ts";
import { type MemoryConfig, normaliseMemoryConfig } from "./config.ts";
import { readDocument } from "./document.ts";
import type { MemoryDocument, MemoryProvider, MemoryScope } from "./port.ts";

/** A provider under its name. */
export interface MemorySource {
  readonly id: string;
  readonly provider: MemoryProvider;
  /** Its settings; anything. */
  readonly config?: unknown;
  /** `builtin`, or `extension:<name of the extension>`. */
  readonly source: string;
  /** Whether its code is there to be asked. Default: it is. */
  readonly isLoaded?: () => boolean;
}

/** What memory is made of. */
export interface MemoryParts {
  /** In the order in which their answers are merged: the built-in one first. */
  readonly providers: readonly MemorySource[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hides secret values. It keeps the shape of what it is given. */
  readonly mask: (value: Json) => Json;
}

/** How to search. */
export interface MemoryQuery {
  /** Default `all`. */
  readonly scope?: MemoryScope;
  /** Default 5. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** What may be shown of the providers: never label, settings or content. */
export interface MemoryDiagnostics {
  readonly providers: readonly {
    readonly id: string;
    readonly enabled: boolean;
    readonly source: string;
    /** Sorted. */
    readonly scopes: readonly MemoryScope[];
    readonly timeoutMs: number;
    readonly moduleLoaded: boolean;
  }[];
  readonly providerCount: number;
  readonly enabledProviderCount: number;
}

/** The memory of a runtime. */
export interface Memory {
  /**
   * Hands a document, with its secrets hidden, to every enabled provider of its scope, and does not wait for them.
   * What is no document, or has blank content, is dropped with a log line.
   */
  put(document: MemoryDocument): void;
  /** What the enabled providers of a scope find in their time, newest first. Never rejects. */
  search(query: string, options?: MemoryQuery): Promise<MemoryDocument[]>;
  diagnostics(): MemoryDiagnostics;
  /** Resolves when no `put` is under way: each is over at its deadline. */
  settled(): Promise<void>;
}

const defaultLimit = 5;

type Member = MemorySource & { readonly settings: MemoryConfig };

/** Memory over these providers. */
export function createMemory({ providers, clock, logger, mask }: MemoryParts): Memory {
  const members: readonly Member[] = providers.map((each) => ({
    ...each,
    settings: normaliseMemoryConfig(each.config),
  }));
  const underWay = new Set<Promise<void>>();

  const askAll = <Value>(
    scope: MemoryScope,
    operation: "put" | "search",
    call: (provider: MemoryProvider, options: Parameters<MemoryProvider["put"]>[1]) => Value,
    { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Answer<Value>[]> =>
    Promise.all(
      membersOf(members, scope).map(async ({ id, provider, config, settings: { timeoutMs } }) => {
        const answer = await ask<Value>(
          (fired) => call(provider, { scope, limit, signal: fired, config: isRecord(config) ? config : {} }),
          { clock, timeoutMs, signal },
        );
        if (!answer.ok)
          logger.warn({ provider: id, operation, failure: answer.failure }, "a memory provider failed");
        return answer;
      }),
    );

  return {
    put(given) {
      const document = readDocument(given);
      const masked = document === null ? null : readDocument(mask(document));
      if (masked === null || masked.content.trim() === "") {
        const reason = masked === null ? "not a document" : "blank content";
        logger.warn({ reason }, "a memory was dropped");
        return;
      }
      const putting = askAll(masked.scope, "put", (provider, options) => provider.put(masked, options), {
        limit: 1,
      }).then(() => void underWay.delete(putting));
      underWay.add(putting);
    },
    async search(query, { scope = "all", limit = defaultLimit, signal } = {}) {
      const most = Number.isInteger(limit) && limit >= 1 ? limit : defaultLimit;
      const answers = await askAll(
        scope,
        "search",
        // Unknown, whatever its type says: an extension can answer anything.
        (provider, options): unknown => provider.search(query, options),
        { limit: most, signal },
      );
      const asked = membersOf(members, scope);
      const found = answers.flatMap((answer, index) =>
        answer.ok ? documentsIn(answer.value, asked[index]?.id ?? "", logger) : [],
      );
      return merge(found).slice(0, most);
    },
    diagnostics: () => ({
      providers: members.map(({ id, source, isLoaded, settings: { enabled, scopes, timeoutMs } }) => ({
        id,
        enabled,
        source,
        scopes,
        timeoutMs,
        moduleLoaded: isLoaded?.() ?? true,
      })),
      providerCount: members.length,
      enabledProviderCount: members.filter(({ settings }) => settings.enabled).length,
    }),
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function membersOf(members: readonly Member[], scope: MemoryScope): Member[] {
  return members.filter(({ settings }) => settings.enabled && settings.scopes.includes(scope));
}

function documentsIn(answer: unknown, provider: string, logger: Logger): MemoryDocument[] {
  const items: unknown[] = Array.isArray(answer) ? answer : [answer];
  const documents = items.map(readDocument).filter((document) => document !== null);
  const dropped = items.length - documents.length;
  if (dropped > 0) logger.warn({ provider, dropped }, "a memory provider answered what is no document");
  return documents;
}

/** The first of each id in the order of the providers, then the newest first. */
function merge(found: readonly MemoryDocument[]): MemoryDocument[] {
  const byId = new Map<string, MemoryDocument>();
  for (const document of found) if (!byId.has(document.id)) byId.set(document.id, document);
  return [...byId.values()].toSorted((a, b) => b.createdAt - a.createdAt);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
