/** Who watches a stream. What a watcher throws is told to the logger and harms nobody. */
import { upcast, type Fact } from "../events/index.ts";
import type { LivePiece } from "../projections/index.ts";

/** What a subscriber sees, in order: durable facts, and pieces of what is in the making. */
export type StreamEvent = { readonly fact: Fact } | { readonly live: LivePiece };

/** The subscribers of one stream. */
export class Subscribers {
  readonly #listeners = new Set<(event: StreamEvent) => void>();
  readonly #report: (error: unknown, what: string) => void;

  constructor(report: (error: unknown, what: string) => void) {
    this.#report = report;
  }

  /** @returns a function that ends it */
  add(listener: (event: StreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: StreamEvent): void {
    const seen = "fact" in event ? { fact: upcast(event.fact) } : event;
    for (const listener of this.#listeners) {
      try {
        listener(seen);
      } catch (error) {
        this.#report(error, "a subscriber threw");
      }
    }
  }
}
