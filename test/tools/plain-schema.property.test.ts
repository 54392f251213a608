import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtInTools } from "../../src/tools/index.ts";
import { plainlyFits } from "../../src/tools/plain-schema.ts";
import { validatorOf } from "../../src/tools/validator.ts";

const name = fc.constantFrom("a", "b", "constructor", "__proto__");
const limit = fc.integer({ min: -1, max: 3 });
const property = fc.oneof(
  fc.record(
    { type: fc.constant("string"), minLength: fc.integer({ min: 0, max: 2 }), description: fc.string() },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    { type: fc.constantFrom("integer", "number"), minimum: limit, maximum: limit },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    { type: fc.constantFrom("boolean", "null", "array"), enum: fc.constant([true]) },
    { requiredKeys: [] },
  ),
);
const schema = fc.record(
  {
    type: fc.constant("object"),
    properties: fc.dictionary(name, property, { maxKeys: 2 }),
    required: fc.uniqueArray(name, { maxLength: 1 }),
    additionalProperties: fc.constant(false),
  },
  { requiredKeys: ["type"] },
);
const member = fc.oneof(
  fc.constantFrom("", "x", "𝄞", 0, 1, 1.5, -1, true, false, null),
  fc.array(fc.boolean(), { maxLength: 1 }),
);

describe("the quick answer for plain schemas", () => {
  it("says yes only to what ajv takes", async () => {
    let yes = 0;
    const values = fc.dictionary(name, member);
    await fc.assert(
      fc.asyncProperty(schema, values, async (parameters, value) => {
        if (!plainlyFits(parameters, value)) return;
        yes += 1;
        expect((await validatorOf({ parameters }))(value)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(yes).toBeGreaterThan(50);
  });

  it("is yes for plain calls of every built-in tool", () => {
    const args = {
      path: "f",
      content: "",
      oldText: "a",
      newText: "b",
      patch: "p",
      command: "c",
      pattern: "p",
    };
    for (const { name: tool, parameters, judgesArguments = false } of builtInTools)
      if (!judgesArguments) expect([tool, plainlyFits(parameters, args)]).toEqual([tool, true]);
  });
});
