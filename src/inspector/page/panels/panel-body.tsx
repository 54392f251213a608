import type { Panel } from "../model/place.ts";
import { useStore } from "../data/page.ts";
import { FactBody } from "../parts/fact-detail.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { Notice } from "../parts/notice.tsx";
import { shownPanel } from "../parts/panel-tabs.tsx";
import { CallsPanel } from "./calls.tsx";
import { ComparePanel } from "./compare.tsx";
import { ConversationPanel } from "./conversation.tsx";
import { FilesPanel } from "./files.tsx";
import { StatePanel } from "./state.tsx";
import { SupervisionPanel } from "./supervision.tsx";
import { UsagePanel } from "./usage.tsx";
import { VerifyPanel } from "./verify.tsx";
import { WorkPanel } from "./work.tsx";

const BODIES: Readonly<Record<Panel, () => preact.JSX.Element>> = {
  facts: FactList,
  fact: FactBody,
  conversation: ConversationPanel,
  calls: CallsPanel,
  files: FilesPanel,
  work: WorkPanel,
  state: StatePanel,
  supervision: SupervisionPanel,
  usage: UsagePanel,
  verify: VerifyPanel,
  compare: ComparePanel,
};

/** The chosen panel; the others ask for nothing. */
export function PanelBody({ isNarrow }: { readonly isNarrow: boolean }): preact.JSX.Element {
  const panel = shownPanel(
    useStore(({ place }) => place.panel),
    isNarrow,
  );
  const session = useStore(({ place }) => place.session);
  const overview = useStore((state) => state.overview);
  const isEmpty = overview !== null && overview.version === 0;
  const Body = BODIES[panel];
  return (
    <div
      id="panel-body"
      class={`panel-body at-${panel}`}
      role="tabpanel"
      aria-labelledby={`tab-${panel}`}
      data-scrolls={panel === "facts" ? undefined : true}
      tabIndex={0}
    >
      {isEmpty ? <Notice title="This session has no facts yet" /> : <Body key={session} />}
    </div>
  );
}
