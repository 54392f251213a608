/**
 * The one shape of every fact. See docs/reference/facts.md.
 */

/** Where a fact came from: outside the stream, or an actor of it. */
export type FactKind = "input" | "decision";

/** A fact as it stands in the log. */
export interface Fact<Type extends string = string, Data = unknown> {
  /** 1, 2, 3 … over the whole log. Belongs to this log only: not hashed, not exported. */
  readonly position: number;
  readonly stream: string;
  /** 1, 2, 3 … within the stream, without gaps. */
  readonly version: number;
  readonly type: Type;
  readonly schemaVersion: number;
  /** Epoch milliseconds of the runtime's clock; a decision has its input's. Never used for order. */
  readonly at: number;
  /** Path in the supervision tree, `caller` or `recovery`. */
  readonly actor: string;
  /** Version, in the same stream, of the fact that this one answers; `null` for one from outside. */
  readonly causation: number | null;
  /** The run that it belongs to. */
  readonly correlation: string | null;
  readonly kind: FactKind;
  readonly data: Data;
  /**
   * SHA-256 of the data's text, in lower-case hex, when the log holds that alone: the data was left out of the bundle that
   * the fact came with, and `data` is `null` whatever its type says. Absent of every other fact. docs/reference/bundles.md
   */
  readonly redacted?: string;
  /** Lower-case hex of the stream's hash chain up to and including this fact (docs/reference/log-format.md). */
  readonly hash: string;
}

/** A fact that has not been appended yet. */
export interface NewFact<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
  /**
   * The JSON text of `data`, when the caller has it. Whoever gives it vouches that `data` was checked by
   * `checkFact` and that this is its text; the log then neither checks nor stringifies again.
   */
  readonly text?: string;
  /** SHA-256 of the data's text, when that was left out: then `data` is `null`, and there is no `text`. */
  readonly redacted?: string;
  readonly kind: FactKind;
  readonly actor: string;
  readonly causation: number | null;
  readonly correlation: string | null;
  /** Default: the log's clock. */
  readonly at?: number;
  /** Default: the newest version that the catalogue knows, 1 for a type that it doesn't know. */
  readonly schemaVersion?: number;
}
