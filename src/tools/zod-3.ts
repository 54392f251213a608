/** Schemas of zod 3, whichever copy of it made them. Loaded when an author has one. */
import { ignoreOverride, zodToJsonSchema } from "zod-to-json-schema";
import { messageOf } from "../errors.ts";
import type { SchemaOutcome } from "./schema.ts";

/** Types whose values are no JSON. zod 4 refuses them by itself; the converter would put up with a text or a number. */
const unrepresentable: ReadonlySet<string> = new Set([
  "ZodBigInt",
  "ZodDate",
  "ZodFunction",
  "ZodMap",
  "ZodNaN",
  "ZodPromise",
  "ZodSet",
  "ZodSymbol",
  "ZodUndefined",
  "ZodVoid",
]);

/**
 * Describes what goes in, as for zod 4.
 *
 * @param roundTrip - makes plain JSON of what the converter gives
 */
export function fromZod3(schema: object, roundTrip: (schema: object) => SchemaOutcome): SchemaOutcome {
  try {
    return roundTrip(
      zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
        effectStrategy: "input",
        pipeStrategy: "input",
        override: (definition, { currentPath }) => {
          const { typeName } = definition as { readonly typeName?: string };
          if (typeName === undefined || !unrepresentable.has(typeName)) return ignoreOverride;
          throw new Unrepresentable(typeName, currentPath);
        },
      }),
    );
  } catch (error) {
    const place = error instanceof Unrepresentable ? error.place : "";
    return { problem: `parameters${place} can't be written as JSON Schema: ${messageOf(error)}` };
  }
}

class Unrepresentable extends Error {
  readonly place: string;

  constructor(typeName: string, path: readonly string[]) {
    super(`${typeName} holds no JSON`);
    const keys = path.slice(1).filter((key, at) => !(key === "properties" && at % 2 === 0));
    this.place = keys.length === 0 ? "" : ` at ${keys.join(".")}`;
  }
}
