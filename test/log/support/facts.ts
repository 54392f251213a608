/** Facts and logs for the tests of the log room. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { NewFact } from "../../../src/events/index.ts";
import { openEventLog, type EventLog, type OpenOptions } from "../../../src/log/index.ts";

/** A fact of a type that no catalogue knows, so that its data may be anything. */
export function newFact(data: unknown, more: Partial<NewFact> = {}): NewFact {
  return {
    type: "test.noted",
    kind: "input",
    actor: "caller",
    causation: null,
    correlation: null,
    data,
    ...more,
  };
}

/** `count` facts with data 1, 2, 3 … */
export function newFacts(count: number): NewFact[] {
  return Array.from({ length: count }, (_, index) => newFact({ n: index + 1 }));
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A directory that is gone after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "lemon-log-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A log that is closed after the test. */
export async function openForTest(location: string, options: OpenOptions = {}): Promise<EventLog> {
  const log = await openEventLog(location, options);
  onTestFinished(async () => {
    await log.close();
  });
  return log;
}

/** A log file that is gone after the test. */
export function temporaryFile(): string {
  return path.join(temporaryDirectory(), "work.db");
}
