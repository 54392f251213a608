import type { TimelineAnswer } from "../../api.ts";
import { LANES } from "../model/lanes.ts";
import { short } from "../model/format.ts";
import {
  errorPath,
  lanePath,
  leftOf,
  strokePath,
  ticks,
  type DrawnMark,
  type Track,
} from "../model/timeline-shape.ts";
import { MarkGlyph } from "./mark-glyph.tsx";

/** Heights in px; styles/timeline.css has the same. */
const MARKS_TALL = 18;
const LANE_TALL = 14;
const GAP = 2;
const RULER_TALL = 16;
const BODY = LANES.length * (LANE_TALL + GAP);
const TALL = MARKS_TALL + BODY + RULER_TALL;

interface Props {
  readonly timeline: TimelineAnswer | null;
  readonly matches: readonly number[] | null;
  readonly marks: readonly DrawnMark[];
  readonly track: Track;
}

/** Lanes, marks and ruler: one path a lane. */
export function TimelineDrawing({ timeline, matches, marks, track }: Props): preact.JSX.Element {
  const buckets = timeline?.buckets ?? [];
  return (
    <svg class="tl-drawing" width="100%" height={TALL} aria-hidden="true" focusable="false">
      {LANES.map((lane, index) => (
        <g key={lane} transform={`translate(0 ${MARKS_TALL + index * (LANE_TALL + GAP)})`}>
          <rect class="tl-lane" width="100%" height={LANE_TALL} />
          <path class={`lane-${lane}`} d={lanePath(buckets, lane, track, LANE_TALL)} />
        </g>
      ))}
      <g transform={`translate(0 ${MARKS_TALL + BODY - GAP})`}>
        <path class="tl-errors" d={errorPath(buckets, track, 2)} />
      </g>
      {matches === null ? null : (
        <path class="tl-matches" d={strokePath(matches, track, MARKS_TALL + BODY)} />
      )}
      {marks.map(({ mark, x }) => (
        <MarkGlyph key={mark.version} kind={mark.kind} x={x} y={MARKS_TALL / 2} />
      ))}
      {ticks(track, 90).map((version) => {
        const x = leftOf(track, version);
        if (x > track.width - 20) return null;
        return (
          <g key={version} class="tl-tick" transform={`translate(${Math.round(x)} ${MARKS_TALL + BODY})`}>
            <path d="M0 0h1v4h-1z" />
            <text x="4" y="11">
              {track.last < 10_000 ? version : short(version)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
