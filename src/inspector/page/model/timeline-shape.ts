/** Where things of the timeline are drawn. Versions are spread evenly; a version is a column of its own width. */
import type { Lane, MarkKind, TimelineBucket, TimelineMark } from "../../api.ts";

/** Of a track `width` px wide over versions 1 to `last`. */
export interface Track {
  readonly width: number;
  readonly last: number;
}

/** Left edge of a version's column. */
export function leftOf({ width, last }: Track, version: number): number {
  return last === 0 ? 0 : ((version - 1) / last) * width;
}

/** Middle of a version's column. */
export function middleOf(track: Track, version: number): number {
  return leftOf(track, version) + (track.last === 0 ? 0 : track.width / track.last / 2);
}

/** The version under a point; a point beside the track has the nearest. */
export function versionAt({ width, last }: Track, x: number): number {
  if (last === 0 || width === 0) return 1;
  return clampVersion(Math.floor((x / width) * last) + 1, last);
}

/** The nearest version that there is. */
export function clampVersion(version: number, last: number): number {
  return Math.max(1, Math.min(last, version));
}

/** The bars of one lane as one SVG path: their height says how many facts of a bucket are in it. */
export function lanePath(
  buckets: readonly TimelineBucket[],
  lane: Lane,
  track: Track,
  height: number,
): string {
  const most = Math.max(1, ...buckets.map(({ counts }) => counts[lane]));
  return buckets
    .filter(({ counts }) => counts[lane] > 0)
    .map(({ from, to, counts }) => {
      const tall = Math.max(3, height * Math.sqrt(counts[lane] / most));
      return bar(track, from, to, height - tall, tall);
    })
    .join("");
}

/** Where something failed, along the foot of the track. */
export function errorPath(buckets: readonly TimelineBucket[], track: Track, height: number): string {
  return buckets
    .filter(({ errors }) => errors > 0)
    .map(({ from, to }) => bar(track, from, to, 0, height))
    .join("");
}

function bar(track: Track, from: number, to: number, top: number, height: number): string {
  const left = leftOf(track, from);
  const right = leftOf(track, to + 1);
  const gap = right - left > 3 ? 1 : 0;
  return `M${round(left)} ${round(top)}h${round(Math.max(1, right - left - gap))}v${round(height)}h${round(-Math.max(1, right - left - gap))}z`;
}

/** A mark that is drawn, and how many others it stands for. */
export interface DrawnMark {
  readonly mark: TimelineMark;
  readonly x: number;
  readonly hidden: number;
}

const RANK: readonly MarkKind[] = [
  "error",
  "block",
  "abort",
  "restart",
  "fork",
  "compaction",
  "prompt",
  "checkpoint",
  "end",
  "turn",
];

/** Marks that stand too close share a place: the weightiest is drawn. */
export function placeMarks(marks: readonly TimelineMark[], track: Track, apartPx: number): DrawnMark[] {
  const drawn: DrawnMark[] = [];
  for (const mark of marks) {
    const x = middleOf(track, mark.version);
    const before = drawn.at(-1);
    if (before === undefined || x - before.x >= apartPx) {
      drawn.push({ mark, x, hidden: 0 });
      continue;
    }
    const heavier = RANK.indexOf(mark.kind) < RANK.indexOf(before.mark.kind);
    drawn[drawn.length - 1] = { ...before, hidden: before.hidden + 1, ...(heavier ? { mark } : {}) };
  }
  return drawn;
}

/** The nearest mark before (`-1`) or after (`1`) a version; `null` without one. Turns are too many to stop at. */
export function nextMark(marks: readonly TimelineMark[], version: number, step: 1 | -1): TimelineMark | null {
  const stops = marks.filter(({ kind }) => kind !== "turn");
  if (step === 1) return stops.find((mark) => mark.version > version) ?? null;
  return stops.findLast((mark) => mark.version < version) ?? null;
}

/** Versions for the ruler: round steps, about `every` px apart. */
export function ticks({ width, last }: Track, every: number): number[] {
  if (last === 0 || width === 0) return [];
  const rough = (last / width) * every;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1;
  return Array.from({ length: Math.floor(last / step) }, (_, index) => (index + 1) * step);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Versions as thin strokes; those that fall on one pixel are one. */
export function strokePath(versions: readonly number[], track: Track, height: number): string {
  const pixels = new Set(versions.map((version) => Math.round(middleOf(track, version))));
  return [...pixels].map((x) => `M${x} 0h1v${height}h-1z`).join("");
}

/** The drawn mark that a pointer means; `null` when none is near. */
export function markNear(drawn: readonly DrawnMark[], x: number, withinPx: number): DrawnMark | null {
  const near = drawn
    .map((mark) => ({ mark, distance: Math.abs(mark.x - x) }))
    .filter(({ distance }) => distance <= withinPx)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.mark ?? null;
}
