/** The table of methods as an OpenRPC document. https://spec.open-rpc.org */
import { z } from "zod";
import { errorClasses } from "./error-classes.ts";
import type { Method } from "./method.ts";

/** Raised when a method changes in a way that callers notice. */
const API_VERSION = "1.0.0";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** The document. */
export function openRpcDocument(methods: readonly Method[]): Readonly<Record<string, unknown>> {
  return {
    openrpc: "1.3.2",
    info: { title: "lemon-runtime control plane", version: API_VERSION },
    methods: methods.map(methodObject),
    components: {
      errors: Object.fromEntries(
        errorClasses.map(({ number, code, sentence, reasons }) => [
          code,
          { code: number, message: sentence, data: { code, reasons } },
        ]),
      ),
    },
  };
}

function methodObject(method: Method): Readonly<Record<string, unknown>> {
  const { name, scope, summary, params, result } = method;
  const { properties = {}, required = [] } = jsonSchema(params, "input");
  return {
    name,
    summary,
    paramStructure: "by-name",
    params: Object.entries(properties).map(([key, schema]) => ({
      name: key,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      required: required.includes(key),
      schema,
    })),
    result: { name: "result", schema: jsonSchema(result, "output") },
    "x-scope": scope,
  };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return described as Schema;
}
