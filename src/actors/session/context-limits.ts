/** How long a conversation may become, and how much of it a compaction leaves. Pure. docs/reference/compaction.md */

/** What is configured, in tokens. */
export interface CompactionSettings {
  /** What is left free for the answer. */
  readonly reserveTokens: number;
  /** How much of the newest messages is kept word for word. */
  readonly keepTokens: number;
}

/** What holds for one model, in tokens. */
export interface ContextLimits extends CompactionSettings {
  /** What the model has room for, its answer included. */
  readonly window: number;
}

/**
 * The limits for a window. Where it is small they are smaller than what is configured: the reserve is at most half of
 * the window, and what is kept at most half of the rest, so that a compaction always gains something.
 */
export function contextLimits(window: number, settings: CompactionSettings): ContextLimits {
  const reserveTokens = Math.min(settings.reserveTokens, Math.floor(window / 2));
  const keepTokens = Math.min(settings.keepTokens, Math.floor((window - reserveTokens) / 2));
  return { window, reserveTokens, keepTokens };
}
