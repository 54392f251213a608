import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { factHash, GENESIS, type Envelope } from "../../src/log/sqlite/hash.ts";
import { newFact, newFacts, openForTest } from "./support/facts.ts";

interface Vector {
  readonly name: string;
  readonly previous: string;
  readonly envelope: Envelope;
  readonly text: string;
  readonly hash: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL("../fixtures/hash-vectors.json", import.meta.url), "utf8"),
) as { vectors: Vector[] };

test.each(vectors)("the hash is for ever: $name", ({ previous, envelope, text, hash }) => {
  expect(factHash(previous, envelope, text)).toBe(hash);
});

test("the formula, in other words", () => {
  const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
  const [{ envelope: e, text, hash }] = vectors as [Vector];
  const envelope = [
    e.stream,
    e.version,
    e.type,
    e.schemaVersion,
    e.at,
    e.kind,
    e.actor,
    e.causation,
    e.correlation,
  ];
  expect(sha256(GENESIS + JSON.stringify(envelope) + sha256(text))).toBe(hash);
});

test("a log chains each stream by itself, and the position is not in it", async () => {
  const alone = await openForTest(":memory:", { now: () => 7 });
  const mixed = await openForTest(":memory:", { now: () => 7 });
  const expected = await alone.append("s", "none", newFacts(3));
  await mixed.append("other", "none", newFacts(2));
  const facts = await mixed.append("s", "none", newFacts(3));
  expect(facts.map((fact) => fact.hash)).toEqual(expected.map((fact) => fact.hash));
  const text = JSON.stringify(newFact({ n: 1 }).data);
  expect(facts[0]?.hash).toBe(factHash(GENESIS, facts[0] as Envelope, text));
});
