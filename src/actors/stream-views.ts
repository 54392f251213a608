/** The views that a stream keeps in memory, whatever kind of stream it is, and how they are stored and brought back. */
import type { Fact } from "../events/index.ts";

/** The last fact that was folded. */
export interface LastFact {
  readonly version: number;
  readonly hash: string;
}

/** Views of one stream. */
export interface StreamViews {
  /** Takes one more durable fact. */
  fold(fact: Fact): void;
  /** What has to be stored now, by name; what is stored already is left out. */
  store(last?: LastFact): Map<string, string>;
  /** What `store` gave was not kept after all: the next one gives everything. */
  forgetStored(): void;
}

/** What `store` gave for one name, as it comes back: the text may be made each time that it is asked for. */
export interface StoredText {
  readonly text: string;
}

/** One kind of views: those of sessions, those of the registry of extensions. */
export interface ViewsKind<Views extends StreamViews> {
  /** Tells stored views of these folds from those of others. */
  readonly version: string;
  /** Before the first fact. */
  create(): Views;
  /** From what `store` gave, all of it; `null` when a part is missing. */
  restore(stored: ReadonlyMap<string, StoredText>): Views | null;
}
