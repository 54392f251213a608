import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  nextMatch,
  PAGE_ROWS,
  pagesFor,
  requestOf,
  revealed,
  rowCount,
  rowOfVersion,
  versionOfRow,
} from "../../../src/inspector/page/model/fact-window.ts";

const matches = fc
  .uniqueArray(fc.integer({ min: 1, max: 5000 }), { minLength: 1 })
  .map((versions) => versions.toSorted((a, b) => a - b));

describe("a filtered list", () => {
  test("rows and versions are each other's inverse", () => {
    fc.assert(
      fc.property(matches, (given) => {
        const listed = { last: 5000, matches: given };
        given.forEach((version, row) => {
          expect(versionOfRow(listed, row)).toBe(version);
          expect(rowOfVersion(listed, version)).toBe(row);
        });
      }),
    );
  });

  test("a version without a row has that of the match before it", () => {
    fc.assert(
      fc.property(matches, fc.integer({ min: 1, max: 5000 }), (given, version) => {
        expect(rowOfVersion({ last: 5000, matches: given }, version)).toBe(
          given.filter((match) => match <= version).length - 1,
        );
      }),
    );
  });

  test("the next match is after, the one before is before", () => {
    fc.assert(
      fc.property(matches, fc.integer({ min: 1, max: 5000 }), (given, version) => {
        const listed = { last: 5000, matches: given };
        expect(nextMatch(listed, version, 1)).toBe(given.find((match) => match > version) ?? null);
        expect(nextMatch(listed, version, -1)).toBe(given.findLast((match) => match < version) ?? null);
      }),
    );
  });
});

describe("pages", () => {
  test("are those that hold the rows in sight", () => {
    expect(pagesFor(0, 30)).toEqual([0]);
    expect(pagesFor(190, 210)).toEqual([0, 1]);
    expect(pagesFor(-5, 0)).toEqual([0]);
  });

  test("together hold every row once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50_000 }), (last) => {
        const listed = { last, matches: null };
        const requests = pagesFor(0, Math.max(0, rowCount(listed) - 1)).map((page) =>
          requestOf(listed, page),
        );
        expect(requests.reduce((sum, request) => sum + (request?.limit ?? 0), 0)).toBe(last);
        expect(requests.every((request) => request === null || request.limit <= PAGE_ROWS)).toBe(true);
      }),
    );
  });

  test("of a filtered list begin with a match", () => {
    const listed = { last: 10_000, matches: Array.from({ length: 250 }, (_, index) => (index + 1) * 10) };
    expect(requestOf(listed, 1)).toEqual({ from: 2010, limit: 50 });
    expect(requestOf(listed, 2)).toBeNull();
  });
});

test("a row is brought into sight by the shortest way", () => {
  expect(revealed(100, 26, 0, 300)).toBe(0);
  expect(revealed(100, 26, 200, 300)).toBe(100);
  expect(revealed(520, 26, 0, 300)).toBe(246);
});
