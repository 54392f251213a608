/** What the reader can do, as changes of the store. The address follows. */
import { formatPlace, parsePlace, type Panel, type Place } from "../model/place.ts";
import { clampVersion, nextMark } from "../model/timeline-shape.ts";
import { atOf, BEGINNING, type PageState, type Store } from "./store.ts";

/** A browser takes about 200 changes of the address in half a minute; scrubbing makes more. */
const ADDRESS_MS = 250;

/** All actions. */
export class Actions {
  readonly #store: Store;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Looks at a version. One before the end ends the following. */
  readonly select = (version: number): void => {
    const { last, place } = this.#store.state;
    if (last === 0) return;
    const at = clampVersion(version, last);
    if (at === place.at) return;
    this.#store.set({ place: { ...place, at }, isFollowing: this.#store.state.isFollowing && at === last });
    this.#writeSoon();
  };

  /** Goes to the mark before or after. */
  readonly toMark = (step: 1 | -1): void => {
    const { state } = this.#store;
    const mark = nextMark(state.timeline?.marks ?? [], atOf(state), step);
    if (mark !== null) this.select(mark.version);
  };

  readonly openPanel = (panel: Panel): void => {
    this.#go({ panel });
  };

  readonly filterBy = (filter: string): void => {
    if (filter === this.#store.state.place.filter) return;
    this.#store.set({ place: { ...this.#store.state.place, filter } });
    this.#writeSoon();
  };

  /** Keeps this side for a comparison with wherever the reader goes next. */
  readonly compareWith = (against: string | null): void => {
    this.#go({ against, panel: against === null ? this.#store.state.place.panel : "compare" });
  };

  readonly openSession = (session: string | null, at: number | null = null): void => {
    const { place } = this.#store.state;
    if (session === place.session) {
      this.#store.set({ dialog: null });
      if (at !== null) this.select(at);
      return;
    }
    this.#store.set({ ...forgotten(this.#store.state), dialog: null });
    this.#go({ session, at, filter: "", against: place.against });
  };

  /** Follows the end, or stops. */
  readonly follow = (isFollowing: boolean): void => {
    const { place, last } = this.#store.state;
    this.#store.set({ isFollowing, place: isFollowing && last > 0 ? { ...place, at: last } : place });
    this.#writeSoon();
  };

  readonly show = (dialog: PageState["dialog"]): void => {
    this.#store.set({ dialog });
  };

  /** The address was changed by the browser: back, forward, or by hand. */
  readonly readAddress = (): void => {
    const place = parsePlace(location.hash);
    const isSame = place.session === this.#store.state.place.session;
    this.#store.set({ ...(isSame ? {} : forgotten(this.#store.state)), place });
  };

  #go(change: Partial<Place>): void {
    const place = { ...this.#store.state.place, ...change };
    this.#store.set({ place });
    this.#cancel();
    history.pushState(null, "", formatPlace(place));
  }

  #writeSoon(): void {
    this.#cancel();
    this.#timer = setTimeout(
      () => history.replaceState(null, "", formatPlace(this.#store.state.place)),
      ADDRESS_MS,
    );
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** What is known of one session only. */
function forgotten({ sessions, epoch, line }: PageState): Partial<PageState> {
  return { ...BEGINNING, sessions, epoch, line };
}
