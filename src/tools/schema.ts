/**
 * What an author calls a schema, turned into plain JSON Schema: the one form that is recorded, sent and validated.
 */
import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { messageOf } from "../errors.ts";
import type { JsonSchema } from "./tool.ts";

// Taken before any author's code runs: in a worker it may put its own in their place.
const { parse, stringify } = JSON;
const { create, keys, setPrototypeOf } = Object;
const everyObject = Object.prototype;

/** A JSON Schema, or why there is none. */
export type SchemaOutcome = { readonly schema: JsonSchema } | { readonly problem: string };

/**
 * Takes zod 4 or 3, any Standard Schema that gives JSON Schema (ArkType), TypeBox, plain JSON Schema, or nothing.
 *
 * The schema describes what goes *in*: a `.transform()` is not applied and a `.default()` makes its member optional.
 */
export async function toJsonSchema(parameters: unknown): Promise<SchemaOutcome> {
  if (parameters === undefined || parameters === null || parameters === true) return { schema: emptySchema };
  if (typeof parameters !== "object" && typeof parameters !== "function") {
    return { problem: `parameters must be a schema, got ${typeof parameters}` };
  }
  if (Array.isArray(parameters)) return { problem: "parameters must be a schema, got array" };
  const plain = await plainSchema(parameters);
  return "problem" in plain ? plain : asObjectSchema(plain.schema);
}

const emptySchema: JsonSchema = { type: "object", properties: {} };

async function plainSchema(parameters: object): Promise<SchemaOutcome> {
  // Only its last versions are Standard Schemas, and those give no JSON Schema.
  if (isZod3(parameters)) return fromZod3(parameters);
  return "~standard" in parameters ? fromStandardSchema(parameters) : roundTrip(parameters);
}

async function fromZod3(schema: object): Promise<SchemaOutcome> {
  const zod3 = await import("./zod-3.ts");
  try {
    return roundTrip(zod3.fromZod3(schema));
  } catch (error) {
    const place = error instanceof zod3.UnrepresentableError ? error.place : "";
    return { problem: `parameters${place} can't be written as JSON Schema: ${messageOf(error)}` };
  }
}

function isZod3(schema: object): boolean {
  const { _def: definition } = schema as { readonly _def?: unknown };
  if (typeof definition !== "object" || definition === null || "_zod" in schema) return false;
  const { typeName } = definition as { readonly typeName?: unknown };
  return typeof typeName === "string" && typeName.startsWith("Zod");
}

async function fromStandardSchema(schema: object): Promise<SchemaOutcome> {
  const standard = (schema as { readonly "~standard": unknown })["~standard"];
  if (typeof standard !== "object" || standard === null)
    return { problem: "parameters: `~standard` must be an object" };
  const { vendor, jsonSchema } = standard as Partial<StandardJSONSchemaV1.Props & { vendor: string }>;
  const isZod4 = "_zod" in schema;
  try {
    if (jsonSchema !== undefined) return roundTrip(jsonSchema.input({ target: "draft-2020-12" }));
    if (isZod4) return await fromZod(schema, "throw");
  } catch (error) {
    const place = isZod4 ? await unrepresentablePlace(schema) : "";
    return { problem: `parameters${place} can't be written as JSON Schema: ${messageOf(error)}` };
  }
  return { problem: withoutJsonSchema(vendor) };
}

function withoutJsonSchema(vendor: string | undefined): string {
  switch (vendor) {
    case "valibot":
      return "parameters are a Valibot schema: wrap it in toStandardJsonSchema() of @valibot/to-json-schema";
    default:
      return `parameters of ${vendor ?? "this library"} give no JSON Schema (\`~standard.jsonSchema\` is missing)`;
  }
}

/** For zod 4 before it had `~standard.jsonSchema`; our own zod reads the schemas of other copies of zod 4. */
async function fromZod(schema: object, unrepresentable: "throw" | "any"): Promise<SchemaOutcome> {
  const { z } = await import("zod");
  return roundTrip(
    z.toJSONSchema(schema as Parameters<typeof z.toJSONSchema>[0], { io: "input", unrepresentable }),
  );
}

/** zod says what it can't express but not where: the first empty schema of such a type is the place. */
async function unrepresentablePlace(schema: object): Promise<string> {
  const kinds = new Set([
    "date",
    "bigint",
    "symbol",
    "undefined",
    "void",
    "nan",
    "custom",
    "function",
    "transform",
    "map",
    "set",
  ]);
  const { z } = await import("zod");
  let place = "";
  z.toJSONSchema(schema as Parameters<typeof z.toJSONSchema>[0], {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, path }) => {
      if (place !== "" || !kinds.has(zodSchema._zod.def.type)) return;
      const keys = path.filter((key, at) => !(key === "properties" && at % 2 === 0));
      if (keys.length > 0) place = ` at ${keys.join(".")}`;
    },
  });
  return place;
}

/** Strips what JSON has no word for: TypeBox's symbols and `~kind`. */
function roundTrip(schema: object): SchemaOutcome {
  try {
    const text: unknown = stringify("toJSON" in everyObject ? withoutPrototypes(schema) : schema);
    const parsed: unknown = typeof text === "string" ? parse(text) : undefined;
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
      return { problem: "parameters must be a schema, got no JSON object" };
    }
    return { schema: parsed as JsonSchema };
  } catch (error) {
    return { problem: `parameters are not JSON: ${messageOf(error)}` };
  }
}

/** A copy in which a `toJSON` that an author gave to every object is not found. */
function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy = (Array.isArray(value) ? setPrototypeOf([], null) : create(null)) as Record<string, unknown>;
  for (const key of keys(value)) copy[key] = withoutPrototypes((value as Record<string, unknown>)[key]);
  return copy;
}

/** Providers want an object with properties; all other keywords go to the model as they are. */
function asObjectSchema(schema: JsonSchema): SchemaOutcome {
  const { type, properties } = schema;
  if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object"))) {
    return { problem: `parameters must describe an object, not ${stringify(type)}` };
  }
  if (type !== undefined && properties !== undefined) return { schema };
  return { schema: { ...schema, type: "object", properties: properties ?? {} } };
}
