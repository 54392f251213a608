/** Schemas of zod 3, whichever copy of it made them. Loaded when an author has one. */
import { ignoreOverride, zodToJsonSchema } from "zod-to-json-schema";

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
 * Describes what goes in, as for zod 4. What comes back still has to be made plain JSON.
 *
 * @throws UnrepresentableError
 */
export function fromZod3(schema: object): object {
  return zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    effectStrategy: "input",
    pipeStrategy: "input",
    override: (definition, { currentPath }) => {
      const { typeName } = definition as { readonly typeName?: string };
      if (typeName === undefined || !unrepresentable.has(typeName)) return ignoreOverride;
      throw new UnrepresentableError(typeName, currentPath);
    },
  });
}

/** JSON Schema has no word for a type; `place` is where it stands, ready to be put behind a noun. */
export class UnrepresentableError extends Error {
  readonly place: string;

  constructor(typeName: string, path: readonly string[]) {
    super(`${typeName} holds no JSON`);
    this.name = "UnrepresentableError";
    const keys = path.slice(1).filter((key, at) => !(key === "properties" && at % 2 === 0));
    this.place = keys.length === 0 ? "" : ` at ${keys.join(".")}`;
  }
}
