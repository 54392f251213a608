/**
 * The quick answer for the plain schemas that most tools have. ajv is loaded and compiles only where the answer is not
 * yes: it takes longer to start than many calls.
 */
import type { JsonSchema } from "./tool.ts";

/**
 * True only if `value` certainly fits: `schema` is an object of texts, numbers and booleans, without any word that is
 * not looked at here, and everything that it asks for holds. False says nothing.
 */
export function plainlyFits(schema: JsonSchema, value: Readonly<Record<string, unknown>>): boolean {
  const { type, properties = {}, required = [], description: _words, ...others } = schema;
  if (type !== "object" || Object.keys(others).length > 0) return false;
  if (!isRecord(properties) || !Array.isArray(required)) return false;
  return (
    required.every((name) => typeof name === "string" && own(value, name) !== undefined) &&
    Object.entries(properties).every(([name, property]) => {
      const member = own(value, name);
      return isRecord(property) && memberFits(property, member);
    })
  );
}

function memberFits(property: JsonSchema, member: unknown): boolean {
  const {
    type,
    description: _words,
    minLength = 0,
    minimum = -Infinity,
    maximum = Infinity,
    ...others
  } = property;
  if (Object.keys(others).length > 0) return false;
  if (typeof minLength !== "number" || typeof minimum !== "number" || typeof maximum !== "number")
    return false;
  if (member === undefined) return true;
  switch (type) {
    case "string":
      // Longer ones are counted by characters, not by the units of `length`.
      return typeof member === "string" && minLength <= 1 && member.length >= minLength;
    case "boolean":
      return typeof member === "boolean";
    case "integer":
    case "number":
      return (
        (type === "integer" ? Number.isInteger(member) : Number.isFinite(member)) &&
        Number(member) >= minimum &&
        Number(member) <= maximum
      );
    default:
      return false;
  }
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
