import { usePage, useStore } from "../data/page.ts";
import { ago, count, shortPath } from "../model/format.ts";
import { Notice } from "./notice.tsx";

/** All sessions, the one with the newest fact first. */
export function SessionList(): preact.JSX.Element {
  const { actions } = usePage();
  const sessions = useStore((state) => state.sessions);
  const current = useStore(({ place }) => place.session);
  if (sessions === null)
    return (
      <p class="loading-line" aria-busy="true">
        Reading the log…
      </p>
    );
  if (sessions.sessions.length === 0)
    return (
      <Notice title="No session yet">
        Run one: <code>lemon run "What is in this folder?"</code>
      </Notice>
    );
  const now = Date.now();
  return (
    <ul class="sessions">
      {sessions.sessions.map((session) => (
        <li key={session.sessionId}>
          <button
            type="button"
            aria-current={session.sessionId === current ? "true" : undefined}
            onClick={() => actions.openSession(session.sessionId)}
          >
            <span class={`dot ${session.status}`} />
            <span class="sessions-id">{session.sessionId}</span>
            <span class="sessions-where">
              {session.forkedFrom === null
                ? shortPath(session.cwd ?? "unavailable")
                : `fork of ${session.forkedFrom.sessionId} at ${session.forkedFrom.at}`}
            </span>
            <span class="sessions-model">{session.model}</span>
            <span class="sessions-facts">{`${count(session.version)} facts`}</span>
            <span class="sessions-when">{ago(session.updatedAt, now)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
