import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canRetry, isRetryable, MAX_ATTEMPTS, retryDelayMs } from "../../src/providers/index.ts";
import { retryAfterMsOf } from "../../src/providers/models/retry-after.ts";
import { classOfStatus, failureOf } from "../../src/providers/models/retry-policy.ts";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("which failures are tried again", () => {
  test("exactly the statuses 408, 409, 429 and 5xx", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), (status) => {
        const expected = [408, 409, 429].includes(status) || status >= 500;
        expect(isRetryable({ class: classOfStatus(status) })).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test.each(["connection", "incomplete_stream", "malformed_stream", "timeout"] as const)(
    "%s",
    (failureClass) => {
      expect(isRetryable(failureOf(failureClass))).toBe(true);
    },
  );

  test.each(["no_api_key", "script_exhausted", "unknown", "auth", "bad_request"] as const)(
    "not %s",
    (failureClass) => {
      expect(failureOf(failureClass).retryable).toBe(false);
    },
  );

  test("five attempts and no more", () => {
    const attempts = [1, 2, 3, 4, 5, 6].filter((attempt) => canRetry({ class: "overloaded" }, attempt));
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(MAX_ATTEMPTS).toBe(5);
    expect(canRetry({ class: "auth" }, 1)).toBe(false);
  });
});

describe("how long to wait", () => {
  test("one second, doubling to thirty", () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 60].map((attempt) => retryDelayMs(attempt, null, 1));
    expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(retryDelayMs(1, null, 0)).toBe(500);
  });

  test("between half of the backoff and all of it, in whole milliseconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), random, (attempt, chance) => {
        const backoff = Math.min(1_000 * 2 ** (attempt - 1), 30_000);
        const delay = retryDelayMs(attempt, null, chance);
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(backoff / 2);
        expect(delay).toBeLessThanOrEqual(backoff);
      }),
    );
  });

  test("what the server asks for, never less, up to two minutes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 1e9 }),
        random,
        (attempt, asked, chance) => {
          expect(retryDelayMs(attempt, asked, chance)).toBe(Math.min(asked, 120_000));
        },
      ),
    );
  });
});

describe("the retry-after header", () => {
  const now = Date.parse("2025-01-01T00:00:00Z");

  test.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "0.25" }, 250],
    [{ "retry-after": "3600" }, 120_000],
    [{ "retry-after": "Wed, 01 Jan 2025 00:00:30 GMT" }, 30_000],
    [{ "retry-after": "Wed, 01 Jan 2025 09:00:00 GMT" }, 120_000],
    [{ "retry-after": "Tue, 31 Dec 2024 00:00:00 GMT" }, 0],
    [{ "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-1" }, null],
    [{ "retry-after": "" }, null],
    [{}, null],
    [undefined, null],
  ])("%j is %j", (headers, expected) => {
    expect(retryAfterMsOf(headers, now)).toBe(expected);
  });

  test("whatever it says, the delay is null or between 0 and two minutes", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wait = retryAfterMsOf({ "retry-after": text }, now) ?? 0;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(120_000);
      }),
    );
  });
});
