/** Reads how many tokens a request used from a `finish` part. */
import type { ModelUsage } from "./port.ts";

/**
 * Token counts as the port has them. Whatever is not a count is 0.
 *
 * @param usage - of specification version 3 (`{ inputTokens: { total, cacheRead }, … }`) or 2 (flat numbers)
 */
export function usageOf(usage: unknown): ModelUsage {
  const input = memberOf(usage, "inputTokens");
  const output = memberOf(usage, "outputTokens");
  return {
    inputTokens: countOf(memberOf(input, "total") ?? input),
    outputTokens: countOf(memberOf(output, "total") ?? output),
    cachedInputTokens: countOf(memberOf(input, "cacheRead") ?? memberOf(usage, "cachedInputTokens")),
    reasoningTokens: countOf(memberOf(output, "reasoning") ?? memberOf(usage, "reasoningTokens")),
  };
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function countOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 1) return 0;
  return Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER);
}
