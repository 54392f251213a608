/** What one build learns on its way. */

/** Filled by the plugins, read when the build is over. */
export interface Gathered {
  /** Real path of the file that is bundled. */
  readonly entry: string;
  /**
   * Real paths of the local files that were read, each with the number of characters that stand before the author's own
   * on the first line.
   */
  readonly locals: Map<string, number>;
  /** Local files that may want `z` of `lemon-runtime`. */
  readonly wantsZ: Set<string>;
}

/** Nothing learnt yet. */
export function gatheredFor(entry: string): Gathered {
  return { entry, locals: new Map(), wantsZ: new Set() };
}
