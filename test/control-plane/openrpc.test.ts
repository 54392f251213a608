import metaSchema from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { methods } from "../../src/control-plane/index.ts";
import { Plane, type Json } from "./support/plane.ts";

test("rpc.discover serves a valid OpenRPC document of every method", async () => {
  const client = await (await Plane.make()).lineClient(["read"]);
  const { result } = await client.call("rpc.discover");
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  const anySchema = "#/definitions/AnySchema";
  const schema = JSON.parse(
    JSON.stringify(metaSchema).replaceAll(
      /"https:\/\/meta\.json-schema\.tools[^"]*"/g,
      JSON.stringify(anySchema),
    ),
  );
  // The schemas themselves are checked by who made them.
  schema.definitions.AnySchema = {};
  const isValid = ajv.validate(schema, result);
  expect([isValid, ajv.errors]).toEqual([true, null]);
  expect(result.methods.map(({ name }: Json) => name)).toEqual(methods.map(({ name }) => name));
});

test("no method is there twice, and each has a sentence", () => {
  const names = methods.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, summary } of methods)
    expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
});
