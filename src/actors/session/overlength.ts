/** Whether a request is too long for its model, and there is something to compact. docs/reference/compaction.md */
import type { FactData } from "../../events/index.ts";
import type { Transcript } from "../../projections/index.ts";
import type { Model, ModelTool } from "../../providers/index.ts";
import { contextLimits, type CompactionSettings } from "./context-limits.ts";
import { planCut } from "./cut.ts";
import { estimateTokens } from "./request.ts";

/** How long a conversation may become. */
export interface CompactionRules {
  /** `null`: it is never compacted. */
  readonly settings: CompactionSettings | null;
  /** Tokens that a model has room for, its answer included. */
  readonly windowOf: (model: Model) => number;
}

/** What a request is made of. */
export interface Conversation {
  readonly systemPrompt: string;
  readonly transcript: Transcript;
  readonly tools: readonly ModelTool[];
}

type Overlength = FactData<"compaction.due">;

/** Before the model is asked. @returns `null` when it is to be asked */
export function overlengthBefore(
  { systemPrompt, transcript, tools }: Conversation,
  { settings, windowOf }: CompactionRules,
  model: Model,
): Overlength | null {
  if (settings === null) return null;
  const window = windowOf(model);
  const limits = contextLimits(window, settings);
  const tokens = estimateTokens(systemPrompt, transcript, tools);
  const isDue = tokens > window - limits.reserveTokens && planCut(transcript, limits) !== null;
  return isDue ? { tokens, window } : null;
}

/**
 * After the provider has refused the request as too long: whatever was thought, its window is no larger than that.
 *
 * @returns `null` when nothing can be done about it
 */
export function overlengthRefused(
  { systemPrompt, transcript, tools }: Conversation,
  { settings, windowOf }: CompactionRules,
  model: Model,
): Overlength | null {
  if (settings === null) return null;
  const tokens = estimateTokens(systemPrompt, transcript, tools);
  const window = Math.min(windowOf(model), tokens);
  return planCut(transcript, contextLimits(window, settings)) === null ? null : { tokens, window };
}
