/** Facts whose data was left out: the chain goes on over them, and every way of reading says so. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { firstValueFrom, toArray, take } from "rxjs";
import { expect, test } from "vitest";
import type { Fact, NewFact } from "../../src/events/index.ts";
import { InvalidEnvelopeError, type EventLog } from "../../src/log/index.ts";
import { rounds } from "../support/soak.ts";
import { collect, newFact, openForTest, temporaryFile } from "./support/facts.ts";

const inThatTime = { now: () => 1_700_000_000_000 };
const digestOf = (data: unknown): string => createHash("sha256").update(JSON.stringify(data)).digest("hex");
const redact = ({ data, ...rest }: NewFact): NewFact => ({ ...rest, data: null, redacted: digestOf(data) });

async function twoLogs(): Promise<{ whole: EventLog; redacted: EventLog }> {
  return {
    whole: await openForTest(":memory:", inThatTime),
    redacted: await openForTest(":memory:", inThatTime),
  };
}

test("with any of its facts redacted, a stream has the hashes of the whole one and verifies", async () => {
  const facts = fc.array(fc.record({ data: fc.jsonValue(), isRedacted: fc.boolean() }), {
    minLength: 1,
    maxLength: 20,
  });
  const property = fc.asyncProperty(facts, async (made) => {
    const { whole, redacted } = await twoLogs();
    const given = made.map(({ data }) => newFact(JSON.parse(JSON.stringify(data))));
    const left = given.map((fact, index) => (made[index]?.isRedacted === true ? redact(fact) : fact));
    const expected = await whole.append("s", "none", given);
    const found = await redacted.append("s", "none", left);
    expect(found.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash));
    expect(await collect(redacted.verify())).toEqual([]);
    expect(await collect(redacted.read("s"))).toEqual(found);
  });
  await fc.assert(property, { numRuns: rounds(30, 300, 3000) });
});

test("every way of reading gives null in place of the data, and its digest", async () => {
  const log = await openForTest(temporaryFile(), inThatTime);
  const digest = digestOf({ secret: "needle" });
  await log.append("s", "none", [
    newFact({ n: 1 }),
    redact(newFact({ secret: "needle" })),
    newFact({ n: 3 }),
  ]);
  const isRedacted = { version: 2, data: null, redacted: digest };
  const second = (facts: readonly Fact[]): unknown => facts.find(({ version }) => version === 2);
  expect(second(await collect(log.read("s")))).toMatchObject(isRedacted);
  expect(second(await collect(log.readAll()))).toMatchObject(isRedacted);
  expect(second(await firstValueFrom(log.follow().pipe(take(3), toArray())))).toMatchObject(isRedacted);
  const stored = (await collect(log.readStored("s"))).flat();
  expect(stored.map(({ text, redacted }) => ({ text, redacted }))).toEqual([
    { text: '{"n":1}', redacted: undefined },
    { text: "null", redacted: digest },
    { text: '{"n":3}', redacted: undefined },
  ]);
});

test("who asks by type gets only facts that have their data", async () => {
  const log = await openForTest(":memory:", inThatTime);
  await log.append("s", "none", [newFact({ n: 1 }), redact(newFact({ n: 2 })), newFact({ n: 3 })]);
  const versions = async (facts: AsyncIterable<Fact>): Promise<number[]> =>
    (await collect(facts)).map(({ version }) => version);
  const types = ["test.noted"];
  expect(await versions(log.read("s", { types }))).toEqual([1, 3]);
  expect(await versions(log.read("s", { types, backwards: true }))).toEqual([3, 1]);
  expect(await versions(log.readAll({ types }))).toEqual([1, 3]);
});

test.each([
  ["a digest that is none", { ...newFact(null), redacted: "abc" }],
  ["a digest beside data", { ...newFact({ n: 1 }), redacted: "0".repeat(64) }],
  ["a digest beside a text", { ...newFact(null), text: "null", redacted: "0".repeat(64) }],
  ["a text that reads like a digest", { ...newFact(null), text: `sha256:${"0".repeat(64)}` }],
])("%s is refused", async (_what, fact) => {
  const log = await openForTest(":memory:");
  await expect(log.append("s", "none", [fact])).rejects.toThrow(InvalidEnvelopeError);
  expect((await log.info()).facts).toBe(0);
});

test("a digest that is changed is found at its position", async () => {
  const file = temporaryFile();
  const log = await openForTest(file);
  await log.append("s", "none", [newFact({ n: 1 }), redact(newFact({ n: 2 }))]);
  const { default: Sqlite } = await import("better-sqlite3");
  const db = new Sqlite(file);
  db.exec(`DROP TRIGGER facts_never_change;
    UPDATE facts SET data = 'sha256:${"1".repeat(64)}' WHERE position = 2`);
  db.close();
  expect(await collect(log.verify())).toMatchObject([{ code: "hash_mismatch", position: 2 }]);
});
