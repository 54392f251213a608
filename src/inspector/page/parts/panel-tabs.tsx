import { usePage, useStore } from "../data/page.ts";
import { PANELS, type Panel } from "../model/place.ts";

const LABELS: Readonly<Record<Panel, string>> = {
  facts: "Facts",
  fact: "Fact",
  conversation: "Conversation",
  calls: "Calls",
  files: "Files",
  work: "Work",
  state: "State",
  supervision: "Supervision",
  usage: "Usage",
  verify: "Verify",
  compare: "Compare",
};

/** Names of the tabs, which on a narrow screen include the list of facts and the fact. */
function tabsFor(isNarrow: boolean): readonly Panel[] {
  return isNarrow ? ["facts", "fact", ...PANELS] : PANELS;
}

/** The panel that is shown: a wide screen has the facts and the fact beside it. */
export function shownPanel(panel: Panel, isNarrow: boolean): Panel {
  return !isNarrow && (panel === "facts" || panel === "fact") ? "conversation" : panel;
}

/** The row of tabs. */
export function PanelTabs({ isNarrow }: { readonly isNarrow: boolean }): preact.JSX.Element {
  const { actions } = usePage();
  const chosen = shownPanel(
    useStore(({ place }) => place.panel),
    isNarrow,
  );
  const tabs = tabsFor(isNarrow);
  const onKey = (event: KeyboardEvent): void => {
    const index = tabs.indexOf(chosen);
    const to: Record<string, number> = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const panel = tabs[(next + tabs.length) % tabs.length];
    if (panel === undefined) return;
    actions.openPanel(panel);
    document.getElementById(`tab-${panel}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={onKey}>
      {tabs.map((panel) => (
        <button
          key={panel}
          type="button"
          role="tab"
          id={`tab-${panel}`}
          aria-selected={panel === chosen}
          aria-controls="panel-body"
          tabIndex={panel === chosen ? 0 : -1}
          onClick={() => actions.openPanel(panel)}
        >
          {LABELS[panel]}
        </button>
      ))}
    </div>
  );
}
