/**
 * Compiles a tool's JSON Schema with ajv, loaded at first use: an import of this file costs nothing.
 */
import type { Ajv, ErrorObject, Options } from "ajv";
import type { JsonSchema } from "./tool.ts";

/** One thing that is wrong with a value, as ajv tells it. */
export type SchemaFault = Pick<ErrorObject, "instancePath" | "schemaPath" | "keyword" | "params" | "message">;

/** Everything that is wrong with `value`; nothing if it fits. Never changes it. */
export type Validator = (value: unknown) => readonly SchemaFault[];

const options: Options = {
  strict: false,
  logger: false,
  allErrors: true,
  // Compiling the meta-schema takes longer than all else, and the compiler itself refuses what it can't use.
  validateSchema: false,
  // A property named `constructor` is there only when the arguments hold it.
  ownProperties: true,
};

type Dialect = "draft-07" | "2019-09" | "2020-12";

/**
 * An instance of ajv for the dialect that the `$schema` of `schema` names; without one, or with another one, for
 * draft-07. `plain` is the schema as that instance takes it.
 *
 * Each call has an instance to itself, so two schemas of one `$id` never meet. Unknown formats are ignored.
 *
 * @param more - laid over the options of this house
 */
export async function ajvFor(
  schema: JsonSchema,
  more: Options = {},
): Promise<{ readonly ajv: Ajv; readonly plain: JsonSchema }> {
  const [AjvOfDialect, formats] = await Promise.all([loadAjv(dialectOf(schema)), import("ajv-formats")]);
  const ajv = new AjvOfDialect({ ...options, ...more });
  formats.default.default(ajv);
  const { $schema: _named, $async: _async, ...plain } = schema;
  return { ajv, plain };
}

/** @throws Error if it is no usable schema */
async function compileSchema(schema: JsonSchema): Promise<Validator> {
  const { ajv, plain } = await ajvFor(schema);
  const validate = ajv.compile<unknown>(plain);
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

const compiled = new WeakMap<object, Promise<Validator>>();

/** {@link compileSchema} for the parameters of `tool`, once for each tool object. */
export function validatorOf(tool: { readonly parameters: JsonSchema }): Promise<Validator> {
  const known = compiled.get(tool);
  if (known !== undefined) return known;
  const fresh = compileSchema(tool.parameters);
  compiled.set(tool, fresh);
  return fresh;
}

function dialectOf(schema: JsonSchema): Dialect {
  const named = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (named.includes("2020-12")) return "2020-12";
  if (named.includes("2019-09")) return "2019-09";
  return "draft-07";
}

async function loadAjv(dialect: Dialect) {
  switch (dialect) {
    case "2020-12":
      return (await import("ajv/dist/2020.js")).Ajv2020;
    case "2019-09":
      return (await import("ajv/dist/2019.js")).Ajv2019;
    case "draft-07":
      return (await import("ajv")).Ajv;
  }
}
