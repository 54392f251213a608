import { expect, test } from "vitest";
import { factsFrom } from "../../bench/lib/facts.mjs";
import { currentSchemaVersion, loadSchemas, type FactType } from "../../src/events/index.ts";

test("the facts that the bench appends are those that the log takes", async () => {
  const { checkFact } = await loadSchemas();
  const facts = factsFrom(0, 12) as readonly { readonly type: FactType; readonly data: unknown }[];
  for (const { type, data } of facts)
    expect(() => checkFact(type, currentSchemaVersion(type), data), type).not.toThrow();
});
