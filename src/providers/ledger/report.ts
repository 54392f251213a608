/** What a registration of providers tells. Plain JSON. docs/reference/providers.md, "Who is registered" */

const providerTypes = ["model", "memory", "search"] as const;

/** What can be provided. */
export type ProviderType = (typeof providerTypes)[number];

/** Under what a provider is registered: one name under two types is two providers. */
export interface ProviderKey {
  readonly type: ProviderType;
  readonly name: string;
}

/** One provider that is registered. */
export interface RegisteredProvider extends ProviderKey {
  /** `<module of the extension>#<name>`. */
  readonly module: string;
  /** Module of the extension. */
  readonly extension: string;
}

/** A name that more than one wanted. */
export interface ProviderConflict extends ProviderKey {
  /** Module of an extension, or `builtin`. */
  readonly winner: string;
  /** Modules of the extensions that lost, in order; the winner's own when it lists a name twice. */
  readonly shadowed: readonly string[];
}

/** Both lists are sorted by type and name, by code point; the totals are their lengths. */
export interface ProviderReport {
  readonly registered: readonly RegisteredProvider[];
  readonly conflicts: readonly ProviderConflict[];
  readonly totalRegistered: number;
  readonly totalConflicts: number;
}

/** Whether a word names something that can be provided. */
export function isProviderType(type: unknown): type is ProviderType {
  return providerTypes.some((known) => known === type);
}

/** A key as one text: no type has a blank in it. */
export function keyOf({ type, name }: ProviderKey): string {
  return `${type} ${name}`;
}
