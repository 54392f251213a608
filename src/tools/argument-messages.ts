/**
 * Says what is wrong with arguments in words that a model can act on.
 */
import { keysOf } from "./json-path.ts";
import type { SchemaFault } from "./validator.ts";

/** More than this helps nobody, and a long array of wrong items would fill the context. */
const maxMessages = 20;

/** One message for each fault, without repeats: `<path>: <reason>` with a dotted path such as `size.0`. */
export function describeFaults(faults: readonly SchemaFault[]): string[] {
  const messages = [...new Set(faults.map(describeFault))];
  if (messages.length <= maxMessages) return messages;
  return [...messages.slice(0, maxMessages), `and ${messages.length - maxMessages} more`];
}

function describeFault(fault: SchemaFault): string {
  const path = keysOf(fault.instancePath);
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = fault.params as Record<
    string,
    unknown
  >;
  if (fault.keyword === "required" && typeof missingProperty === "string") {
    return prefixed(path, `missing required argument "${missingProperty}"`);
  }
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (typeof unknown === "string") return prefixed([...path, unknown], "is not a known argument");
  if (typeof propertyName === "string") return prefixed([...path, propertyName], "is not an allowed name");
  return prefixed(path.length === 0 ? ["arguments"] : path, reasonOf(fault));
}

function prefixed(path: readonly string[], reason: string): string {
  return path.length === 0 ? reason : `${path.join(".")}: ${reason}`;
}

function reasonOf(fault: SchemaFault): string {
  const params = fault.params as Record<string, unknown>;
  if (fault.keyword === "type") {
    const { type } = params;
    return `must be ${Array.isArray(type) ? type.join(" or ") : String(type)}`;
  }
  if (fault.keyword === "enum" && Array.isArray(params["allowedValues"])) {
    const words = params["allowedValues"].map((value) => JSON.stringify(value));
    const shown = words.slice(0, 20).join(", ");
    return `must be one of ${shown}${words.length > 20 ? ", …" : ""}`;
  }
  if (fault.keyword === "const") return `must be ${JSON.stringify(params["allowedValue"])}`;
  return fault.message ?? `does not fit "${fault.keyword}"`;
}
