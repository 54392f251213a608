import { useEffect } from "preact/hooks";
import { useStore } from "./data/page.ts";
import { useSession } from "./data/use-session.ts";
import { Announcer } from "./parts/announcer.tsx";
import { FactDetail } from "./parts/fact-detail.tsx";
import { FactList } from "./parts/fact-list.tsx";
import { ForkDialog } from "./parts/fork-dialog.tsx";
import { Header } from "./parts/header.tsx";
import { HelpDialog } from "./parts/help-dialog.tsx";
import { LineNotice } from "./parts/line-notice.tsx";
import { Notice } from "./parts/notice.tsx";
import { PanelTabs } from "./parts/panel-tabs.tsx";
import { SessionList } from "./parts/session-list.tsx";
import { SessionsDialog } from "./parts/sessions-dialog.tsx";
import { Timeline } from "./parts/timeline.tsx";
import { useIsNarrow } from "./parts/use-narrow.ts";
import { useKeys } from "./parts/use-keys.ts";
import { PanelBody } from "./panels/panel-body.tsx";

/** The page: a list of sessions, or one session. */
export function App(): preact.JSX.Element {
  useSession();
  useKeys();
  const session = useStore(({ place }) => place.session);
  const title = useStore(({ overview }) => overview?.title ?? "");
  const dialog = useStore((state) => state.dialog);
  useEffect(() => {
    document.title = session === null ? "lemon inspect" : `${title === "" ? session : title} · lemon inspect`;
  }, [session, title]);
  return (
    <div class="frame">
      <Header />
      <LineNotice />
      {session === null ? <Start /> : <Workbench />}
      {dialog === "help" ? <HelpDialog /> : null}
      {dialog === "fork" ? <ForkDialog /> : null}
      {dialog === "sessions" ? <SessionsDialog /> : null}
    </div>
  );
}

/** All sessions. */
function Start(): preact.JSX.Element {
  const fault = useStore((state) => state.fault);
  return (
    <main class="start">
      <h1>Sessions</h1>
      {fault === null ? <SessionList /> : <Fault reason={fault.reason} message={fault.message} />}
    </main>
  );
}

/** One session. */
function Workbench(): preact.JSX.Element {
  const fault = useStore((state) => state.fault);
  const isNarrow = useIsNarrow();
  const panel = useStore(({ place }) => place.panel);
  if (fault !== null)
    return (
      <main class="alone">
        <Fault reason={fault.reason} message={fault.message} />
      </main>
    );
  const panelBody = (
    <section class="panel" aria-label="Panels">
      <PanelTabs isNarrow={isNarrow} />
      <PanelBody isNarrow={isNarrow} />
    </section>
  );
  return (
    <>
      <Timeline />
      <Announcer />
      {isNarrow ? (
        <main class="bench narrow" data-panel={panel}>
          {panelBody}
        </main>
      ) : (
        <main class="bench">
          <FactList />
          {panelBody}
          <FactDetail />
        </main>
      )}
    </>
  );
}

function Fault({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): preact.JSX.Element {
  if (reason === "unauthorized")
    return (
      <Notice tone="bad" title="The server does not know this token">
        It was started anew. Open the address that <code>lemon inspect</code> printed last.
      </Notice>
    );
  if (reason === "session_not_found")
    return (
      <Notice tone="bad" title="There is no such session">
        {message} <a href="#">Choose another.</a>
      </Notice>
    );
  return (
    <Notice tone="bad" title="That did not work">
      {message}
    </Notice>
  );
}
