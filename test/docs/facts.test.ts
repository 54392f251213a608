import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { factsPage } from "../../scripts/docs/facts.mjs";
import { catalogue } from "../../src/events/catalogue.ts";
import { factSchemas } from "../../src/events/schemas.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/reference/facts.md"), "utf8");

test("the reference of facts is what the catalogue and the schemas say: run scripts/docs/facts.mjs when this fails", () => {
  expect(page).toBe(factsPage(page, catalogue, factSchemas));
});

test("a fact for which there are no words is refused", () => {
  const more = { ...catalogue, "thing.happened": catalogue["agent.started"] };
  expect(() => factsPage(page, more, factSchemas)).toThrow(/no words for the fact thing\.happened/);
});

test("a member for which there are no words is refused", () => {
  const schemas = {
    ...factSchemas,
    "turn.ended": factSchemas["turn.ended"].extend({ novelty: factSchemas["turn.ended"].shape.turn }),
  };
  expect(() => factsPage(page, catalogue, schemas)).toThrow(/turn\.ended: no words for novelty/);
});

test("names follow the grammar: a noun, a dot, and what happened, in the past tense", () => {
  const past =
    /^[a-z]+(_[a-z]+)*\.([a-z]+_)*(\w+ed|lost|begun|overridden|shut_down|timed_out|gave_up|due|late_error|written|changed_outside)$/;
  expect(Object.keys(catalogue).filter((type) => !past.test(type))).toEqual([]);
});
