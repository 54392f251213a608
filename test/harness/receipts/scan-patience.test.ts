import { expect, test } from "vitest";
import { ScanPatience } from "../../../src/harness/receipts/scan-patience.ts";

test("after two slow calls in a row twenty are spared, then one is tried, and a quick one ends it", () => {
  const patience = new ScanPatience();
  const scanned: number[] = [];
  const calls = (count: number, isSlow: boolean): void => {
    for (let call = 0; call < count; call += 1) {
      if (patience.spares("/")) continue;
      scanned.push(call);
      patience.note("/", isSlow);
    }
  };
  calls(45, true);
  expect(scanned).toEqual([0, 1, 22, 43]);
  calls(19, true);
  calls(3, false);
  expect(scanned.slice(4)).toEqual([0, 1, 2]);
  expect(patience.spares("/elsewhere")).toBe(false);
});

test("one slow call alone, as of a cache that is empty, spares none", () => {
  const patience = new ScanPatience();
  patience.note("/", true);
  expect(patience.spares("/")).toBe(false);
  patience.note("/", false);
  patience.note("/", true);
  expect(patience.spares("/")).toBe(false);
});
