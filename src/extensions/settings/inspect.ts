/** One look at settings through their schema: faults, defaults, and which members are secret. */
import { ajvFor, type JsonSchema, type SchemaFault } from "../../tools/index.ts";

/** What the schema says of a value. */
export interface Inspection {
  /** The value with defaults filled in. */
  readonly value: unknown;
  readonly faults: readonly SchemaFault[];
  /** JSON Pointers of members that the schema marks `secret: true`. */
  readonly secrets: ReadonlySet<string>;
}

/**
 * Looks at `value`, which is changed: defaults are put into it.
 *
 * @throws Error if `schema` is no usable schema
 */
export async function inspect(schema: JsonSchema, value: unknown): Promise<Inspection> {
  const secrets = new Set<string>();
  const { ajv, plain } = await ajvFor(schema, { useDefaults: true });
  ajv.addKeyword({
    keyword: "secret",
    // A keyword sees a member whatever schema leads to it, also by reference or as one of several alternatives.
    validate: (isSecret: unknown, _member: unknown, _schema: unknown, place?: { instancePath: string }) => {
      if (isSecret === true && place !== undefined) secrets.add(place.instancePath);
      return true;
    },
  });
  const validate = ajv.compile<unknown>(plain);
  const isValid = validate(value);
  return { value, faults: isValid ? [] : (validate.errors ?? []), secrets };
}
