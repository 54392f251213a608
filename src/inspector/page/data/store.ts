/** All that the page knows and that more than one part of it shows. Changed by actions alone; parts subscribe. */
import type { OverviewAnswer, SessionsAnswer, TimelineAnswer } from "../../api.ts";
import { START, type Place } from "../model/place.ts";
import type { ApiFault } from "./client.ts";

/** What the page knows. */
export interface PageState {
  readonly place: Place;
  /** Last version of the session, as far as is known. */
  readonly last: number;
  readonly sessions: SessionsAnswer | null;
  readonly overview: OverviewAnswer | null;
  readonly timeline: TimelineAnswer | null;
  /** Versions that match the filter; `null` without one. */
  readonly matches: readonly number[] | null;
  /** What is wrong with the filter. */
  readonly filterFault: ApiFault | null;
  /** The selection goes with the end. */
  readonly isFollowing: boolean;
  readonly line: "connecting" | "open" | "lost";
  /** Counts reconnections: what was asked before is asked again. */
  readonly epoch: number;
  /** What keeps the whole page from showing the session. */
  readonly fault: ApiFault | null;
  readonly dialog: "help" | "fork" | "sessions" | null;
}

/** Nothing is known yet. */
export const BEGINNING: PageState = {
  place: START,
  last: 0,
  sessions: null,
  overview: null,
  timeline: null,
  matches: null,
  filterFault: null,
  isFollowing: false,
  line: "connecting",
  epoch: 0,
  fault: null,
  dialog: null,
};

/** A state with those who watch it. */
export class Store {
  #state: PageState;
  readonly #watchers = new Set<() => void>();

  constructor(state: PageState) {
    this.#state = state;
  }

  get state(): PageState {
    return this.#state;
  }

  /** Changes some members and tells everyone. */
  set(change: Partial<PageState>): void {
    this.#state = { ...this.#state, ...change };
    for (const watcher of this.#watchers) watcher();
  }

  /** @returns a function that ends it */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The version that is looked at; 0 while the session has none. */
export function atOf({ place, last }: PageState): number {
  return Math.min(place.at ?? last, last);
}
