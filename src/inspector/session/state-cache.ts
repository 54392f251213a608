/**
 * States at any version, quickly: a view is kept every so many facts, and those that were asked for last. Each answer folds on
 * from the nearest. Nothing is written to the log, which may be read-only.
 */
import type { Fact } from "../../events/index.ts";
import { RecentlyUsed } from "./recently-used.ts";
import type { History } from "./history.ts";
import { SessionFold } from "./session-fold.ts";

/** Facts between kept views at first, and how many of those are kept: of more, every second goes and the step doubles. */
const STEP = 256;
const MAX_KEPT = 256;
const MAX_RECENT = 32;

/** The states of one session. */
export class StateCache {
  readonly #history: History;
  readonly #kept = new Map<number, SessionFold>();
  readonly #recent = new RecentlyUsed<number, SessionFold>(MAX_RECENT);
  #step = STEP;
  /** The state after the last fact that was taken. */
  readonly #last = new SessionFold();
  #version: number;

  constructor(history: History) {
    this.#history = history;
    this.#version = history.first - 1;
  }

  /** Takes the next fact of the history. */
  take(fact: Fact): void {
    this.#last.take(fact);
    this.#version = fact.version;
    if (fact.version % this.#step !== 0) return;
    this.#kept.set(fact.version, this.#last.copy());
    if (this.#kept.size > MAX_KEPT) this.#thin();
  }

  /** The views at a version that was taken. */
  async at(version: number): Promise<SessionFold> {
    if (version === this.#version) return this.#last.copy();
    const recent = this.#recent.get(version);
    if (recent !== undefined) return recent;
    const [from, base] = this.#nearest(version);
    const fold = base?.copy() ?? new SessionFold();
    for await (const fact of this.#history.read(from + 1, version)) fold.take(fact);
    this.#recent.set(version, fold, 1);
    return fold;
  }

  #nearest(version: number): readonly [number, SessionFold | null] {
    let nearest: readonly [number, SessionFold | null] = [this.#history.first - 1, null];
    // The step that it stands on, unless that fact was one that this version can't read.
    for (let at = version - (version % this.#step); at >= this.#history.first; at -= this.#step) {
      const kept = this.#kept.get(at);
      if (kept === undefined) continue;
      nearest = [at, kept];
      break;
    }
    for (const [at, fold] of this.#recent.entries())
      if (at <= version && at > nearest[0]) nearest = [at, fold];
    return nearest;
  }

  #thin(): void {
    this.#step *= 2;
    for (const version of this.#kept.keys()) if (version % this.#step !== 0) this.#kept.delete(version);
  }
}
