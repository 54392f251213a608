import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LaneCounts, TimelineBucket, TimelineMark } from "../../../src/inspector/api.ts";
import {
  clampVersion,
  errorPath,
  lanePath,
  leftOf,
  markNear,
  middleOf,
  nextMark,
  placeMarks,
  strokePath,
  ticks,
  versionAt,
} from "../../../src/inspector/page/model/timeline-shape.ts";

const none: LaneCounts = { prompt: 0, model: 0, tool: 0, hook: 0, harness: 0, session: 0, task: 0 };
const bucket = (from: number, to: number, tool: number, errors = 0): TimelineBucket => ({
  from,
  to,
  at: 0,
  counts: { ...none, tool },
  errors,
});
const mark = (version: number, kind: TimelineMark["kind"]): TimelineMark => ({ version, kind, label: "" });
const track = fc.record({
  width: fc.integer({ min: 1, max: 4000 }),
  last: fc.integer({ min: 1, max: 100_000 }),
});

describe("the track", () => {
  test("the middle of a version's column is in that column", () => {
    fc.assert(
      fc.property(track, fc.nat(), (given, seed) => {
        const version = 1 + (seed % given.last);
        expect(versionAt(given, middleOf(given, version))).toBe(version);
      }),
    );
  });

  test("every point means a version that there is", () => {
    fc.assert(
      fc.property(track, fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (given, x) => {
        const version = versionAt(given, x);
        expect(version).toBeGreaterThanOrEqual(1);
        expect(version).toBeLessThanOrEqual(given.last);
      }),
    );
  });

  test("without facts or without room is no trouble", () => {
    expect(versionAt({ width: 0, last: 5 }, 10)).toBe(1);
    expect(leftOf({ width: 100, last: 0 }, 3)).toBe(0);
    expect(ticks({ width: 100, last: 0 }, 80)).toEqual([]);
    expect(clampVersion(9, 4)).toBe(4);
  });
});

describe("paths", () => {
  const given = { width: 100, last: 10 };
  test("a lane has a bar for each bucket with facts in it, the fullest as tall as the lane", () => {
    const path = lanePath([bucket(1, 5, 4), bucket(6, 10, 1), bucket(11, 15, 0)], "tool", given, 14);
    expect(path.match(/M/g)).toHaveLength(2);
    expect(path).toContain("M0 0h49v14h-49z");
    expect(path).toContain("M50 7h49v7h-49z");
    expect(lanePath([bucket(1, 5, 4)], "hook", given, 14)).toBe("");
  });

  test("errors stand along the foot, where there are some", () => {
    expect(errorPath([bucket(1, 5, 1), bucket(6, 10, 1, 2)], given, 2).match(/M/g)).toHaveLength(1);
  });

  test("matches that fall on one pixel are one stroke", () => {
    expect(strokePath([1, 2, 3, 900], { width: 100, last: 1000 }, 10).match(/M/g)).toHaveLength(2);
  });

  test("the ruler has round steps and not more than there is room for", () => {
    fc.assert(
      fc.property(track, (shape) => {
        const shown = ticks(shape, 90);
        expect(shown.length).toBeLessThanOrEqual(shape.width / 90 + 1);
        expect(shown.every((version) => version <= shape.last && version % (shown[0] ?? 1) === 0)).toBe(true);
      }),
    );
  });
});

describe("marks", () => {
  const given = { width: 100, last: 100 };
  test("of those that stand too close the weightiest is drawn, and says how many it hides", () => {
    const drawn = placeMarks(
      [mark(10, "turn"), mark(12, "error"), mark(13, "prompt"), mark(60, "end")],
      given,
      7,
    );
    expect(drawn.map(({ mark: { kind }, hidden }) => [kind, hidden])).toEqual([
      ["error", 2],
      ["end", 0],
    ]);
    expect(markNear(drawn, 12, 5)?.mark.kind).toBe("error");
    expect(markNear(drawn, 40, 5)).toBeNull();
  });

  test("all are drawn or counted", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 100 })), (versions) => {
        const marks = versions.toSorted((a, b) => a - b).map((version) => mark(version, "prompt"));
        const drawn = placeMarks(marks, given, 7);
        expect(drawn.reduce((sum, { hidden }) => sum + hidden + 1, 0)).toBe(marks.length);
      }),
    );
  });

  test("turns are no stops", () => {
    const marks = [mark(5, "prompt"), mark(7, "turn"), mark(9, "block")];
    expect(nextMark(marks, 5, 1)?.version).toBe(9);
    expect(nextMark(marks, 9, -1)?.version).toBe(5);
    expect(nextMark(marks, 9, 1)).toBeNull();
  });
});
