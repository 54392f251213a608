import { useMemo, useRef, useState } from "preact/hooks";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { LANE_LABELS, LANE_NAMES, LANES, MARKS } from "../model/lanes.ts";
import { count } from "../model/format.ts";
import { sentenceOf } from "../model/announce.ts";
import { leftOf, markNear, middleOf, placeMarks, versionAt, type Track } from "../model/timeline-shape.ts";
import { TimelineDrawing } from "./timeline-drawing.tsx";
import { Transport } from "./transport.tsx";
import { useWidth } from "./use-width.ts";

/** All facts at a glance, and the scrubber over them. */
export function Timeline(): preact.JSX.Element {
  return (
    <section class="timeline" aria-label="Timeline">
      <Transport />
      <div class="tl-body">
        <ul class="tl-labels" aria-label="Lanes">
          {LANES.map((lane) => (
            <li key={lane} class={`lane-${lane}`} title={LANE_LABELS[lane]}>
              {LANE_NAMES[lane]}
            </li>
          ))}
        </ul>
        <Scrubber />
      </div>
    </section>
  );
}

function Scrubber(): preact.JSX.Element {
  const { actions, facts } = usePage();
  const at = useStore(atOf);
  const last = useStore((state) => state.last);
  const timeline = useStore((state) => state.timeline);
  const matches = useStore((state) => state.matches);
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const [hover, setHover] = useState<number | null>(null);
  const track = useMemo<Track>(() => ({ width, last }), [width, last]);
  const marks = useMemo(() => placeMarks(timeline?.marks ?? [], track, 7), [timeline, track]);

  // The same node as before is not drawn anew, however often the selection moves.
  const drawing = useMemo(
    () => <TimelineDrawing timeline={timeline} matches={matches} marks={marks} track={track} />,
    [timeline, matches, marks, track],
  );

  // Asked once a touch or visit: with every move it would make the browser lay the page out in mid-frame.
  const left = useRef(0);
  const arrive = (): void => {
    left.current = element.current?.getBoundingClientRect().left ?? 0;
  };
  const xOf = (event: PointerEvent): number => event.clientX - left.current;
  const isHeld = (event: PointerEvent): boolean =>
    element.current?.hasPointerCapture(event.pointerId) === true;
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    arrive();
    element.current?.setPointerCapture(event.pointerId);
    const x = xOf(event);
    // A press on a mark means the mark, even where a pixel is a hundred facts.
    actions.select(markNear(marks, x, event.offsetY < 18 ? 5 : 0)?.mark.version ?? versionAt(track, x));
  };
  const move = (event: PointerEvent): void => {
    setHover(xOf(event));
    if (isHeld(event)) actions.select(versionAt(track, xOf(event)));
  };
  return (
    <div
      ref={element}
      class="tl-track"
      role="slider"
      tabIndex={0}
      aria-label="Selected fact"
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, last)}
      aria-valuenow={Math.max(1, at)}
      aria-valuetext={sentenceOf(Math.max(1, at), last, facts.rowAt(at - 1))}
      onPointerEnter={arrive}
      onPointerDown={down}
      onPointerMove={move}
      onPointerLeave={() => setHover(null)}
    >
      {drawing}
      {at === 0 || width === 0 ? null : (
        <div class="tl-future" style={{ transform: `scaleX(${1 - leftOf(track, at + 1) / width})` }} />
      )}
      {at === 0 ? null : (
        <div class="tl-head" style={{ transform: `translateX(${middleOf(track, at)}px)` }}>
          <span />
        </div>
      )}
      {hover === null || last === 0 ? null : <Tip x={hover} track={track} marks={marks} />}
    </div>
  );
}

function Tip(props: {
  readonly x: number;
  readonly track: Track;
  readonly marks: ReturnType<typeof placeMarks>;
}): preact.JSX.Element {
  const { x, track, marks } = props;
  const near = markNear(marks, x, 5);
  const version = near?.mark.version ?? versionAt(track, x);
  const isRight = x > track.width / 2;
  return (
    <div
      class={isRight ? "tl-tip right" : "tl-tip"}
      style={{ transform: `translateX(${x}px)` }}
      aria-hidden="true"
    >
      <div>
        <b>{count(version)}</b>
        {near === null ? null : (
          <>
            {` ${MARKS[near.mark.kind].label}`}
            {near.mark.label === "" ? null : <span>{near.mark.label}</span>}
            {near.hidden === 0 ? null : <i>{`and ${count(near.hidden)} more here`}</i>}
          </>
        )}
      </div>
    </div>
  );
}
