import { expect, test } from "vitest";
import { Leadership } from "../../src/actors/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import type { Logger } from "../../src/ports.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { advanceAlive, ManualClock } from "../support/manual-clock.ts";

interface Subject {
  readonly leadership: Leadership;
  readonly log: EventLog;
  readonly clock: ManualClock;
  readonly warnings: string[];
  /** Moves the clock of the log alone. */
  readonly expire: () => void;
}

async function subjectOf(): Promise<Subject> {
  const clock = new ManualClock();
  let aheadMs = 0;
  const log = await memoryLog(() => clock.now() + aheadMs);
  const warnings: string[] = [];
  const warn: Logger["warn"] = (_fields, message) => void warnings.push(message);
  const logger = { debug: () => undefined, info: () => undefined, warn, error: warn };
  const leadership = await Leadership.acquire(log, "lease", "one", clock, logger);
  return { leadership, log, clock, warnings, expire: () => (aheadMs += 20_000) };
}

test("a lease that expired while nothing was led gives way to the next one, which nobody need know of", async () => {
  const { leadership, log, clock, warnings, expire } = await subjectOf();
  let losses = 0;
  leadership.watch(() => (losses += 1));
  expire();
  await advanceAlive(clock, 2_000);
  expect(leadership.lease.fence).toBe(2);
  expect(await log.holderOf("lease")).toMatchObject({ owner: "one", fence: 2 });
  expect({ losses, warnings, isTaken: leadership.isTaken }).toEqual({
    losses: 1,
    warnings: [],
    isTaken: false,
  });
  await leadership.close();
});

test("one that leads a stream says once that it can't renew its lease", async () => {
  const { leadership, clock, warnings, expire } = await subjectOf();
  let lost = 0;
  await leadership.claim("stream", { loseLead: () => (lost += 1) });
  expire();
  await advanceAlive(clock, 10_000);
  expect(warnings).toEqual(["a lease could not be renewed"]);
  expect(lost).toBe(1);
  await leadership.close();
});

test("one whose lease another process took knows it, and asks no more", async () => {
  const { leadership, log, clock, warnings, expire } = await subjectOf();
  expire();
  await log.acquire("lease", "another", 60_000);
  await advanceAlive(clock, 10_000);
  expect(leadership.isTaken).toBe(true);
  expect(warnings).toHaveLength(1);
  expect(await log.holderOf("lease")).toMatchObject({ owner: "another" });
  await leadership.close();
  expect(await log.holderOf("lease")).toMatchObject({ owner: "another" });
});
