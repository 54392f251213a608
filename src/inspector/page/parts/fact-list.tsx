import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { FactRow } from "../../api.ts";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { rowCount, rowOfVersion, versionOfRow, type Listed } from "../model/fact-window.ts";
import { FilterField } from "./filter-field.tsx";
import { Notice } from "./notice.tsx";
import { useVirtual } from "./use-virtual.ts";

/** In px; styles/facts.css has the same. */
const ROW = 26;
/** Longer than a frame and less than anyone waits for. */
const REST_MS = 40;

/** All facts, or those that match; only rows in sight are drawn and fetched. */
export function FactList(): preact.JSX.Element {
  return (
    <section class="facts" aria-label="Facts">
      <FilterField />
      <Rows />
    </section>
  );
}

function Rows(): preact.JSX.Element {
  const { facts, actions } = usePage();
  const last = useStore((state) => state.last);
  const matches = useStore((state) => state.matches);
  const filter = useStore(({ place }) => place.filter);
  const at = useStore(atOf);
  const epoch = useStore((state) => state.epoch);
  const listed = useMemo<Listed>(() => ({ last, matches }), [last, matches]);
  const [fetched, redraw] = useReducer<number, void>((turn) => turn + 1, 0);
  const element = useRef<HTMLDivElement>(null);
  const { items, height, reveal } = useVirtual(element, rowCount(listed), ROW);
  const selected = rowOfVersion(listed, at);

  useEffect(() => facts.watch(() => redraw()), [facts]);
  const first = items[0]?.index ?? 0;
  const end = items.at(-1)?.index ?? 0;
  useEffect(() => {
    // While the filter's matches are on their way, rows of the list before are no one's.
    if (items.length === 0 || (filter === "") !== (matches === null)) return;
    // While someone scrubs, rows fly by: what is in sight when the list rests is worth a question.
    const timer = setTimeout(() => facts.want(listed, first, end), REST_MS);
    return () => clearTimeout(timer);
  }, [facts, listed, filter, first, end, items.length, epoch, fetched]);
  useEffect(() => {
    if (selected >= 0) reveal(selected);
  }, [selected, listed.matches]);

  if (matches !== null && matches.length === 0) return <NoMatch />;
  return (
    <div
      ref={element}
      class="facts-scroll"
      role="listbox"
      aria-label="Facts in order"
      tabIndex={0}
      aria-activedescendant={selected >= 0 ? `fact-${selected}` : undefined}
    >
      <div style={{ height: `${height}px` }} role="presentation">
        {items.map(({ index, start }) => {
          const version = versionOfRow(listed, index) ?? 0;
          return (
            <div
              key={index}
              id={`fact-${index}`}
              role="option"
              aria-selected={version === at}
              aria-setsize={rowCount(listed)}
              aria-posinset={index + 1}
              class={version > at ? "fact-row future" : "fact-row"}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => actions.select(version)}
            >
              <Row version={version} row={facts.rowAt(index)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({
  version,
  row,
}: {
  readonly version: number;
  readonly row: FactRow | undefined;
}): preact.JSX.Element {
  if (row === undefined)
    return (
      <>
        <span class="fact-version">{version}</span>
        <span class="fact-blank" />
      </>
    );
  const tone = row.isBlocked ? " blocked" : row.isError ? " failed" : "";
  return (
    <>
      <span class="fact-version">{version}</span>
      <span class={`lane-dot lane-${row.lane} ${row.kind}`} />
      <span class={`fact-type${tone}`}>{row.type}</span>
      <span class="fact-summary">{row.summary}</span>
    </>
  );
}

function NoMatch(): preact.JSX.Element {
  const fault = useStore((state) => state.filterFault);
  return (
    <div class="facts-scroll">
      {fault === null ? (
        <Notice title="No fact matches">
          Filters take words, and members such as type:tool_call, tool:bash or error.
        </Notice>
      ) : (
        <Notice tone="warn" title="This filter can't be read">
          {fault.message}
        </Notice>
      )}
    </div>
  );
}
