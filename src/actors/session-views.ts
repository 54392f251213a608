/**
 * The views that a session's stream keeps in memory, and how they are stored: one small text, and the transcript's
 * full pages, each written once.
 */
import type { Fact } from "../events/index.ts";
import {
  project,
  sessionView,
  transcript,
  type SessionView,
  type Transcript,
  type TranscriptMessage,
  type TranscriptPage,
} from "../projections/index.ts";
import type { StoredText, StreamViews, ViewsKind } from "./stream-views.ts";

interface StoredViews {
  readonly session: SessionView;
  readonly pages: number;
  readonly tail: readonly TranscriptMessage[];
  readonly rest: Pick<Transcript, "batch" | "summary" | "counted">;
}

/** State and transcript of one session. */
export class SessionViews implements StreamViews {
  session: SessionView = sessionView.initial;
  transcript: Transcript = transcript.initial;
  #storedPages = 0;

  /** Views from what `store` gave, all of it; `null` when a part is missing. */
  static restore(stored: ReadonlyMap<string, StoredText>): SessionViews | null {
    const small = stored.get("views");
    if (small === undefined) return null;
    const { session, pages, tail, rest } = JSON.parse(small.text) as StoredViews;
    const restored: TranscriptPage[] = [];
    for (let index = 0; index < pages; index += 1) {
      const page = stored.get(`transcript/${index}`);
      if (page === undefined) return null;
      restored.push(new StoredPage(page));
    }
    const views = new SessionViews();
    views.session = session;
    views.transcript = { pages: restored, tail, ...rest };
    views.#storedPages = pages;
    return views;
  }

  fold(fact: Fact): void {
    this.session = project(sessionView, this.session, fact);
    this.transcript = project(transcript, this.transcript, fact);
  }

  forgetStored(): void {
    this.#storedPages = 0;
  }

  store(): Map<string, string> {
    const { pages, tail, ...rest } = this.transcript;
    const texts = new Map<string, string>();
    for (; this.#storedPages < pages.length; this.#storedPages += 1) {
      texts.set(`transcript/${this.#storedPages}`, JSON.stringify(pages[this.#storedPages]?.messages));
    }
    const views: StoredViews = { session: this.session, pages: pages.length, tail, rest };
    return texts.set("views", JSON.stringify(views));
  }
}

/** The views of sessions. */
export const sessionViews: ViewsKind<SessionViews> = {
  version: `${transcript.name}.${transcript.version},${sessionView.name}.${sessionView.version}`,
  create: () => new SessionViews(),
  restore: (stored) => SessionViews.restore(stored),
};

/** Parsed when it is first looked at: most resumes of a long session look at the newest pages only. */
class StoredPage implements TranscriptPage {
  #stored: StoredText | null;
  #messages: readonly TranscriptMessage[] = [];

  constructor(stored: StoredText) {
    this.#stored = stored;
  }

  get messages(): readonly TranscriptMessage[] {
    if (this.#stored !== null) {
      this.#messages = JSON.parse(this.#stored.text) as TranscriptMessage[];
      this.#stored = null;
    }
    return this.#messages;
  }
}
