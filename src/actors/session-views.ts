/**
 * The views that a session's stream keeps in memory, and how they are stored: one small text, the transcript's full
 * pages, each written once, and from time to time a state that stays.
 */
import type { Fact } from "../events/index.ts";
import {
  messageCount,
  project,
  SessionTally,
  sessionView,
  transcript,
  type SessionView,
  type Transcript,
} from "../projections/index.ts";
import {
  pageName,
  sessionViewsVersion,
  stateName,
  storedPages,
  type StoredState,
  type StoredViews,
} from "./session-states.ts";
import type { LastFact, StoredText, StreamViews, ViewsKind } from "./stream-views.ts";

/** Facts between two states that stay, at least: to fold fewer takes some 10 ms. */
const STATE_EVERY = 1_000;
/** Characters of such a state for each fact since the one before, at most: the next one waits until it may be so long. */
const STATE_SHARE = 100;
/** Characters of a tally that is stored with the views, each time anew. */
const LONGEST_TALLY = 50_000;

/** State and transcript of one session. */
export class SessionViews implements StreamViews {
  session: SessionView = sessionView.initial;
  transcript: Transcript = transcript.initial;
  /** `null` after it was too long to be stored and the session was resumed: then no more states are kept. */
  #tally: SessionTally | null = new SessionTally();
  #storedPages = 0;
  #stateVersion = 0;
  #nextState = STATE_EVERY;

  /** Views from what `store` gave, all of it; `null` when a part is missing. */
  static restore(stored: ReadonlyMap<string, StoredText>): SessionViews | null {
    const small = stored.get("views");
    if (small === undefined) return null;
    const { session, pages, tail, rest, tally, stateVersion } = JSON.parse(small.text) as StoredViews;
    const restored = storedPages(stored, pages);
    if (restored === null) return null;
    const views = new SessionViews();
    views.session = session;
    views.transcript = { pages: restored, tail, ...rest };
    views.#tally = tally === null ? null : new SessionTally(tally);
    views.#storedPages = pages;
    views.#stateVersion = stateVersion;
    views.#nextState = stateVersion + STATE_EVERY;
    return views;
  }

  fold(fact: Fact): void {
    this.session = project(sessionView, this.session, fact);
    this.transcript = project(transcript, this.transcript, fact);
    this.#tally?.fold(fact);
  }

  forgetStored(): void {
    this.#storedPages = 0;
  }

  /** @param last - the last fact that was folded; without it no state is kept */
  store(last?: LastFact): Map<string, string> {
    const { pages, tail, ...rest } = this.transcript;
    const texts = new Map<string, string>();
    for (; this.#storedPages < pages.length; this.#storedPages += 1) {
      texts.set(pageName(this.#storedPages), JSON.stringify(pages[this.#storedPages]?.messages));
    }
    if (last !== undefined) this.#keepState(texts, last, rest);
    const tally = this.#shortTally();
    const { session } = this;
    const stateVersion = this.#stateVersion;
    const views: StoredViews = { session, pages: pages.length, tail, rest, tally, stateVersion };
    return texts.set("views", JSON.stringify(views));
  }

  #keepState(texts: Map<string, string>, { version, hash }: LastFact, rest: StoredState["rest"]): void {
    if (this.#tally === null || version < this.#nextState) return;
    const [messages, tally] = [messageCount(this.transcript), this.#tally.store()];
    const state: StoredState = { factHash: hash, session: this.session, messages, rest, tally };
    const text = JSON.stringify(state);
    const due = this.#stateVersion + Math.ceil(text.length / STATE_SHARE);
    if (version < due) {
      this.#nextState = due;
      return;
    }
    texts.set(stateName(version), text);
    this.#stateVersion = version;
    this.#nextState = version + STATE_EVERY;
  }

  #shortTally(): StoredViews["tally"] {
    const tally = this.#tally?.store() ?? null;
    return tally !== null && JSON.stringify(tally).length <= LONGEST_TALLY ? tally : null;
  }
}

/** The views of sessions. */
export const sessionViews: ViewsKind<SessionViews> = {
  version: sessionViewsVersion,
  create: () => new SessionViews(),
  restore: (stored) => SessionViews.restore(stored),
};
