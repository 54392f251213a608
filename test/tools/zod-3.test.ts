import { expect, test } from "vitest";
import { z } from "zod/v3";
import { normaliseTool } from "../../src/tools/index.ts";

async function parametersOf(parameters: unknown): Promise<unknown> {
  const found = await normaliseTool({
    name: "t",
    description: "",
    parameters,
    execute: () => ({ content: [] }),
  });
  return "tool" in found ? found.tool.parameters : found.problem;
}

test("a schema of zod 3 describes what goes in", async () => {
  const schema = z.object({
    limit: z.number().int().min(1).describe("how many"),
    kind: z.enum(["a", "b"]).default("a"),
    text: z
      .string()
      .transform((text) => text.length)
      .pipe(z.number()),
    list: z.array(z.string()).optional(),
  });
  expect(await parametersOf(schema)).toMatchObject({
    type: "object",
    properties: {
      limit: { type: "integer", minimum: 1, description: "how many" },
      kind: { type: "string", enum: ["a", "b"], default: "a" },
      text: { type: "string" },
      list: { type: "array", items: { type: "string" } },
    },
    required: ["limit", "text"],
  });
});

test("one from before Standard Schema is known by its form", async () => {
  const schema = z.object({ a: z.string() });
  Object.defineProperty(schema, "~standard", { value: undefined });
  expect(await parametersOf(schema)).toMatchObject({ properties: { a: { type: "string" } } });
});

test.each([
  ["a date", z.object({ when: z.date() }), "at when"],
  ["a map in a list", z.object({ all: z.array(z.map(z.string(), z.number())) }), "at all.items"],
  ["a BigInt", z.object({ n: z.bigint() }), "at n"],
])("%s has no JSON, and its place is named", async (_what, schema, place) => {
  expect(await parametersOf(schema)).toContain(place);
});

test("what is no object is refused", async () => {
  expect(await parametersOf(z.string())).toContain("must describe an object");
});
