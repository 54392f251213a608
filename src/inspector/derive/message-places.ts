/**
 * Where the messages of a conversation stand in the log, so that a few of them are read without folding all. The counting
 * is the transcript's own: this folds it and lets go of the messages.
 */
import type { Fact } from "../../events/index.ts";
import { messageCount, project, transcript, type Transcript } from "../../projections/index.ts";
import { lastAtOrBefore } from "./last-at-or-before.ts";

/** A part of the conversation that can be folded by itself. */
export interface MessageRange {
  /** Fold the facts from here on, beginning with an empty transcript. */
  readonly fromVersion: number;
  /** And up to here. */
  readonly toVersion: number;
  /** Place, counted from 0, of the first message that comes out. */
  readonly first: number;
}

/** Grows by one fact at a time, in version order. */
export class MessagePlaces {
  #view: Transcript = transcript.initial;
  /** Of each message the fact that completed it; where the fold has to begin for it; and what message that begins with. */
  readonly #versions: number[] = [];
  readonly #starts: number[] = [];
  readonly #firsts: number[] = [];
  #start = 1;
  #first = 0;

  take(fact: Fact): void {
    const before = messageCount(this.#view);
    if (this.#view.batch === null) {
      // Nothing waits: what comes from here on does not need what was before.
      this.#start = fact.version;
      this.#first = before;
    }
    const next = project(transcript, this.#view, fact);
    const count = messageCount(next);
    for (let at = before; at < count; at += 1) {
      this.#versions.push(fact.version);
      this.#starts.push(this.#start);
      this.#firsts.push(this.#first);
    }
    this.#view =
      next.pages.length === this.#view.pages.length ? next : { ...next, pages: emptied(next.pages) };
  }

  /** How many messages there were at a version. */
  totalAt(version: number): number {
    return lastAtOrBefore(this.#versions, version) + 1;
  }

  /** What to fold for messages `from` to `to`, that one not included; both within the conversation, `from` less than `to`. */
  rangeOf(from: number, to: number): MessageRange {
    return {
      fromVersion: this.#starts[from] as number,
      toVersion: this.#versions[to - 1] as number,
      first: this.#firsts[from] as number,
    };
  }
}

/** Pages are counted and not looked at. */
function emptied(pages: Transcript["pages"]): Transcript["pages"] {
  return pages.map(() => emptyPage);
}

const emptyPage = { messages: [] };
