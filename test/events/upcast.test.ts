import { describe, expect, test } from "vitest";
import { catalogue, SchemaNewerError, upcast, type Fact, type FactType } from "../../src/events/index.ts";
import { checkFact, factSchemas, InvalidFactError } from "../../src/events/schemas.ts";

function fact(type: string, schemaVersion: number, data: unknown): Fact {
  return {
    position: 1,
    stream: "session-s",
    version: 1,
    type,
    schemaVersion,
    at: 0,
    actor: "caller",
    causation: null,
    correlation: null,
    kind: "input",
    data,
    hash: "0".repeat(64),
  };
}

describe("upcast", () => {
  test("a prompt of version 1 reads as one text block", () => {
    const old = fact("prompt.submitted", 1, { runId: "run_1", text: "go" });
    expect(upcast(old)).toEqual({
      ...old,
      schemaVersion: 2,
      data: { runId: "run_1", content: [{ type: "text", text: "go" }] },
    });
    expect(() => checkFact("prompt.submitted", 2, upcast(old).data)).not.toThrow();
  });

  test("a request of version 2 might have been compacted, a failure of version 1 was not", () => {
    const asked = upcast(fact("model.requested", 2, { turn: 1, attempt: 1, mode: "plan" }));
    expect(asked.data).toEqual({ turn: 1, attempt: 1, mode: "plan", mayCompact: true });
    const oldest = upcast(fact("model.requested", 1, { turn: 1, attempt: 1 }));
    expect(oldest.data).toEqual({ turn: 1, attempt: 1, mode: "normal", mayCompact: true });
    expect(upcast(fact("model.failed", 1, { class: "auth" })).data).toEqual({
      class: "auth",
      compaction: null,
    });
  });

  test("a fact in its newest shape and one of an unknown type are left as they are", () => {
    const newest = fact("turn.started", 1, { turn: 1 });
    const unknown = fact("weather.changed", 7, { to: "rain" });
    expect(upcast(newest)).toBe(newest);
    expect(upcast(unknown)).toBe(unknown);
  });

  test.each(["turn.started", "prompt.submitted"])("a newer %s is refused, both versions named", (type) => {
    expect(() => upcast(fact(type, 9, {}))).toThrow(SchemaNewerError);
    expect(() => upcast(fact(type, 9, {}))).toThrow(/version 9.*knows [12]/);
  });
});

describe("checkFact", () => {
  test("names type and field of what does not fit", () => {
    expect(() => checkFact("turn.started", 1, { turn: -1 })).toThrow(InvalidFactError);
    expect(() => checkFact("turn.started", 1, { turn: -1 })).toThrow(/^turn\.started: data\.turn: /);
    expect(() => checkFact("turn.started", 2, { turn: 1 })).toThrow(/schemaVersion: expected 1, got 2/);
  });

  test("lets an unknown type pass", () => {
    expect(() => checkFact("weather.changed", 7, null)).not.toThrow();
  });
});

describe("the catalogue", () => {
  const names = Object.keys(catalogue) as FactType[];

  test("names every fact noun.verb and has a schema for each", () => {
    for (const name of names) expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/);
    expect(Object.keys(factSchemas).sort()).toEqual([...names].sort());
  });

  test("a slot that is opened by a decision can be settled by an input, and by the end of its call or run; one that an input opens by inputs alone", () => {
    const settledBy = (slot: string, kind: string): boolean =>
      names.some(
        (name) =>
          catalogue[name].kind === kind &&
          (catalogue[name].settles ?? []).some((settled) => settled === slot),
      );
    for (const name of names) {
      const { opens, kind } = catalogue[name];
      if (opens === undefined) continue;
      expect(settledBy(opens, "input")).toBe(true);
      // Nothing is decided in the stream of a side query.
      expect([name, settledBy(opens, "decision")]).toEqual([name, kind === "decision"]);
      if (kind !== "decision") expect(name).toBe("side_query.asked");
    }
  });
});
