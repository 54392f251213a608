/** Keeps what is known of the chosen session true: its overview and timeline, what matches the filter, what is appended. */
import { useEffect } from "preact/hooks";
import type { LiveEvent, MatchesAnswer, OverviewAnswer, SessionsAnswer, TimelineAnswer } from "../../api.ts";
import { asFault, sessionPath } from "./client.ts";
import { listen } from "./live.ts";
import { usePage, useStore, type Page } from "./page.ts";

/** Columns of the timeline that are asked for: fewer than pixels, more than can be told apart. */
const BUCKETS = 480;
/** How often a session that grows has its timeline drawn anew. */
const REFRESH_MS = 700;

/** Loads and follows; draws nothing. */
export function useSession(): void {
  const page = usePage();
  const session = useStore(({ place }) => place.session);
  const filter = useStore(({ place }) => place.filter);
  const last = useStore((state) => state.last);
  const epoch = useStore((state) => state.epoch);
  // The line tells what comes after what is known: before that is known it would tell the whole session.
  const isKnown = useStore(({ overview, place }) => place.session === null || overview !== null);

  useEffect(() => whileShown(page, (signal) => loadSessions(page, signal)), [page, epoch]);
  useEffect(() => {
    page.facts.use({ sessionId: session ?? "", filter });
    if (session === null) return;
    return whileShown(page, (signal) => loadSession(page, session, signal));
  }, [page, session, epoch]);
  useEffect(() => {
    page.facts.use({ sessionId: session ?? "", filter });
    if (session === null || filter === "") {
      page.store.set({ matches: null, filterFault: null });
      return;
    }
    return whileShown(page, (signal) => loadMatches(page, session, filter, signal));
  }, [page, session, filter, filter === "" ? 0 : last, epoch]);
  useEffect(() => {
    if (!isKnown) return;
    const refresh = refresher(page, session);
    const abort = new AbortController();
    const handlers = {
      onEvent: (event: LiveEvent) => take(page, event, refresh.soon),
      onOpen: () => opened(page),
      onLost: () => page.store.set({ line: "lost" }),
      after: () => page.store.state.last,
    };
    void listen(page.client, session, handlers, abort.signal);
    return () => {
      abort.abort();
      refresh.stop();
    };
  }, [page, session, isKnown]);
}

async function loadSessions({ client, store, actions }: Page, signal: AbortSignal): Promise<void> {
  const sessions = await client.get<SessionsAnswer>("/api/sessions", signal);
  store.set({ sessions });
  if (store.state.place.session === null && sessions.selected !== null)
    actions.openSession(sessions.selected);
}

async function loadSession({ client, store }: Page, session: string, signal: AbortSignal): Promise<void> {
  const [overview, timeline] = await Promise.all([
    client.get<OverviewAnswer>(sessionPath(session, ""), signal),
    client.get<TimelineAnswer>(sessionPath(session, "/timeline", { buckets: BUCKETS }), signal),
  ]);
  const last = Math.max(store.state.last, timeline.version, overview.version);
  store.set({ overview, timeline, last, fault: null });
}

async function loadMatches(
  { client, store }: Page,
  session: string,
  filter: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const path = sessionPath(session, "/facts/matching", { filter });
    const { versions } = await client.get<MatchesAnswer>(path, signal);
    store.set({ matches: versions, filterFault: null });
  } catch (error) {
    // A filter that is not well-formed yet, while it is typed: the list says so and the page goes on.
    if (!signal.aborted) store.set({ matches: [], filterFault: asFault(error) });
  }
}

function opened({ store, facts }: Page): void {
  const wasLost = store.state.line === "lost";
  if (wasLost) facts.forget();
  store.set({ line: "open", ...(wasLost ? { epoch: store.state.epoch + 1 } : {}) });
}

function take({ store, facts }: Page, event: LiveEvent, refresh: () => void): void {
  const { state } = store;
  switch (event.event) {
    case "facts":
      facts.append(event.data.rows);
      grow(store, event.data.rows.at(-1)?.version ?? 0);
      refresh();
      break;
    case "jumped":
      grow(store, event.data.version);
      refresh();
      break;
    case "sessions":
      if (state.place.session === null) refresh();
      break;
    case "ended":
      break;
  }
}

function grow(store: Page["store"], version: number): void {
  const { state } = store;
  if (version <= state.last) return;
  const place =
    state.isFollowing || state.place.at === null
      ? { ...state.place, at: state.isFollowing ? version : null }
      : state.place;
  store.set({ last: version, place });
}

/** Asks for overview, timeline and sessions again, at most every 700 ms. */
function refresher(page: Page, session: string | null): { soon: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const abort = new AbortController();
  const run = async (): Promise<void> => {
    try {
      if (session === null) await loadSessions(page, abort.signal);
      else await loadSession(page, session, abort.signal);
    } catch {
      // The line tells of a server that is gone; what stands is then the last that was known.
    }
  };
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        timer = null;
        void run();
      }, REFRESH_MS);
    },
    stop: () => {
      abort.abort();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Runs a load. What it fails by is the page's fault, but for a server that is gone: the line tells of that and comes back. */
function whileShown({ store }: Page, load: (signal: AbortSignal) => Promise<void>): () => void {
  const abort = new AbortController();
  const run = async (): Promise<void> => {
    try {
      await load(abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return;
      const fault = asFault(error);
      if (fault.reason !== "unreachable") store.set({ fault });
    }
  };
  void run();
  return () => abort.abort();
}
