import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatPlace,
  formatSide,
  PANELS,
  parsePlace,
  parseSide,
  START,
  takeToken,
  type Place,
} from "../../../src/inspector/page/model/place.ts";

const place: fc.Arbitrary<Place> = fc.record({
  session: fc.option(fc.string({ minLength: 1 })),
  at: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
  panel: fc.constantFrom(...PANELS, "facts" as const, "fact" as const),
  filter: fc.string(),
  against: fc.option(fc.string({ minLength: 1 })),
});

describe("the address of a place", () => {
  test("holds all of it", () => {
    fc.assert(
      fc.property(place, (given) => {
        expect(parsePlace(formatPlace(given))).toEqual(given);
      }),
    );
  });

  test("whatever it says, is a place", () => {
    fc.assert(
      fc.property(fc.string(), (fragment) => {
        expect(parsePlace(fragment)).toMatchObject({ filter: expect.any(String), panel: expect.any(String) });
      }),
    );
  });

  test("counts what is malformed as missing", () => {
    expect(parsePlace("#at=0&panel=nothing")).toEqual(START);
    expect(parsePlace("#at=-3")).toEqual(START);
    expect(parsePlace("#at=12x")).toEqual(START);
  });

  test("never holds the token", () => {
    fc.assert(
      fc.property(place, fc.string({ minLength: 1 }), (given, token) => {
        const fragment = `${formatPlace(given)}&token=${encodeURIComponent(token)}`;
        const taken = takeToken(fragment);
        expect(taken.token).toBe(token);
        expect(parsePlace(taken.rest)).toEqual(given);
        expect(new URLSearchParams(taken.rest.slice(1)).has("token")).toBe(false);
      }),
    );
  });
});

describe("a side of a comparison", () => {
  test("is a session, with a version or without", () => {
    expect(parseSide("a-b@12")).toEqual({ sessionId: "a-b", version: 12 });
    expect(parseSide("a-b")).toEqual({ sessionId: "a-b", version: null });
    expect(parseSide("")).toBeNull();
    expect(parseSide("a@b")).toBeNull();
    expect(formatSide({ sessionId: "a", version: null })).toBe("a");
    expect(formatSide({ sessionId: "a", version: 3 })).toBe("a@3");
  });
});
