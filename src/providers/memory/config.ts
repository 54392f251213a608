import { type MemoryScope, memoryScopes } from "./port.ts";

/** What the runtime reads in a memory provider's settings. */
export interface MemoryConfig {
  readonly enabled: boolean;
  /** At least one, sorted. */
  readonly scopes: readonly MemoryScope[];
  readonly timeoutMs: number;
  /** For people; `null` for none. */
  readonly label: string | null;
}

const defaultTimeoutMs = 2_000;

/** The longest delay that a timer can hold; longer ones would fire at once. */
const maxTimeoutMs = 2_147_483_647;

/**
 * Reads settings that may be anything: what can't be used has its default. `timeout_ms` is read where there is no
 * `timeoutMs`. docs/reference/providers.md, "Memory"
 */
export function normaliseMemoryConfig(config: unknown): MemoryConfig {
  const given = isRecord(config) ? config : {};
  const { enabled, scopes, label } = given;
  const timeoutMs = given["timeoutMs"] ?? given["timeout_ms"];
  const known = Array.isArray(scopes) ? memoryScopes.filter((scope) => scopes.includes(scope)) : [];
  return {
    enabled: enabled !== false,
    scopes: (known.length === 0 ? [...memoryScopes] : known).toSorted(),
    timeoutMs:
      Number.isInteger(timeoutMs) && Number(timeoutMs) >= 1
        ? Math.min(Number(timeoutMs), maxTimeoutMs)
        : defaultTimeoutMs,
    label: typeof label === "string" && label.trim() !== "" ? label : null,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
