import { useEffect, useState } from "preact/hooks";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { chosenTheme, showTheme, themeAfter, type Theme } from "../data/theme.ts";
import { formatSide } from "../model/place.ts";
import { Icon, Lemon } from "./icon.tsx";
import { THEME_EVENT } from "./use-keys.ts";

/** Which session it is, and what can be done from here. */
export function Header(): preact.JSX.Element {
  const { actions } = usePage();
  const session = useStore(({ place }) => place.session);
  const overview = useStore((state) => state.overview);
  const at = useStore(atOf);
  const status = overview === null ? null : overview.isLive ? "live" : overview.status.replace("_", " ");
  return (
    <header class="top">
      <a class="brand" href="#" aria-label="lemon, all sessions" title="All sessions">
        <Lemon />
        <span>lemon</span>
      </a>
      {session === null ? (
        <span class="grow" />
      ) : (
        <>
          <button
            type="button"
            class="session-button"
            title="Choose a session (S)"
            onClick={() => actions.show("sessions")}
          >
            <span class="session-title">
              {overview === null || overview.title === "" ? session : overview.title}
            </span>
            <span class="session-id">{session}</span>
            <Icon name="chevron" />
          </button>
          {status === null ? null : (
            <span class={`badge ${overview?.isLive === true ? "busy" : ""}`}>{status}</span>
          )}
          {overview === null || overview.forkedFrom === null ? null : <ForkedFrom {...overview.forkedFrom} />}
          <span class="grow" />
          <button
            type="button"
            class="button"
            title="Compare with this fact (C)"
            disabled={at === 0}
            onClick={() => actions.compareWith(formatSide({ sessionId: session, version: at }))}
          >
            <Icon name="compare" />
            <span>Compare</span>
          </button>
          <button
            type="button"
            class="button"
            title="Fork from this fact (F)"
            disabled={at === 0}
            onClick={() => actions.show("fork")}
          >
            <Icon name="fork" />
            <span>Fork</span>
          </button>
        </>
      )}
      <ThemeButton />
      <button
        type="button"
        class="icon-button"
        aria-label="Keys (?)"
        title="Keys (?)"
        onClick={() => actions.show("help")}
      >
        <Icon name="help" />
      </button>
    </header>
  );
}

function ForkedFrom({
  sessionId,
  at,
}: {
  readonly sessionId: string;
  readonly at: number;
}): preact.JSX.Element {
  const { actions } = usePage();
  return (
    <button
      type="button"
      class="badge link"
      title={`Fork of ${sessionId} at fact ${at}`}
      onClick={() => actions.openSession(sessionId, at)}
    >
      <Icon name="fork" />
      <span>{`of ${sessionId} at ${at}`}</span>
    </button>
  );
}

const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: "as the system",
  light: "light",
  dark: "dark",
};

function ThemeButton(): preact.JSX.Element {
  const [theme, setTheme] = useState(chosenTheme);
  useEffect(() => {
    const look = (): void => setTheme(chosenTheme());
    addEventListener(THEME_EVENT, look);
    return () => removeEventListener(THEME_EVENT, look);
  }, []);
  const label = `Colours: ${THEME_LABELS[theme]} (T)`;
  const change = (): void => {
    showTheme(themeAfter(theme));
    dispatchEvent(new Event(THEME_EVENT));
  };
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={change}>
      <Icon name={theme} />
    </button>
  );
}
