/** What a replay can find. docs/reference/time-travel.md, "Divergences" */

/**
 * What is not as it was recorded.
 *
 * `prompt_changed`: a prompt, or what a model is sent. `decision_changed`, `decision_missing`, `decision_extra`: the machines
 * decide otherwise, decide what was not recorded, or don't decide what was. `hook_verdict_changed`: what hooks answered, or
 * what follows from it. `extension_changed`: which code of an extension it was. `input_changed`: another input.
 * `order_changed`: facts stand in another order, or one is gone. `clock_changed`: a time. `hash_changed`: the hash alone.
 * `crashed`: an actor threw.
 */
export type DivergenceKind =
  | "prompt_changed"
  | "decision_changed"
  | "decision_missing"
  | "decision_extra"
  | "hook_verdict_changed"
  | "extension_changed"
  | "input_changed"
  | "order_changed"
  | "clock_changed"
  | "hash_changed"
  | "crashed";

/** One leaf that differs. `null` for a side that has nothing there. */
export interface LeafDifference {
  /** JSON pointer (RFC 6901) into `expected` and `actual`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The first fact that is not as it was recorded, or does not follow from what was. */
export interface Divergence {
  /** Position of the fact; `null` when the log has none there. */
  readonly position: number | null;
  readonly version: number;
  readonly kind: DivergenceKind;
  /** As it was recorded; `null` for nothing. Of a fact whose old text can't be known, its hash. */
  readonly expected: unknown;
  /** As it is now: decided by these machines, or found in the log; `null` for nothing. */
  readonly actual: unknown;
  /** The leaves that explain it, at most 20. */
  readonly differences: readonly LeafDifference[];
  /** Version of the input that led there; `null` when none did. */
  readonly cause: number | null;
  /** One sentence for people. */
  readonly explanation: string;
}
