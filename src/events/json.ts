/**
 * Values that survive a round trip through JSON unchanged, and the refusal of all others.
 *
 * `JSON.stringify` alone turns a Map into `{}`, NaN into null and -0 into 0 without a word, so a fact's data is
 * walked first. A member that is `undefined` is left out, as JSON does.
 */
import { LemonError } from "../errors.ts";

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value cannot be recorded. Code `LEMON_INVALID_VALUE`; `field` is the dotted path of the value. */
export class InvalidValueError extends LemonError {
  constructor(field: string, got: string) {
    super("invalid_value", `${field}: expected a JSON value, got ${got}`, {
      field,
      expected: "a JSON value",
      got,
    });
  }
}

/** Levels of nesting that a value may have. */
const MAX_JSON_DEPTH = 256;

/**
 * Checks that `value` is JSON and nothing else.
 *
 * @param field - how the value is called in the error
 * @throws InvalidValueError naming the first bad member, e.g. `data.items.3`
 */
export function assertJson(value: unknown, field = "data"): asserts value is Json {
  const bad = findNonJson(value, []);
  if (bad !== null) throw new InvalidValueError([field, ...bad.path].join("."), bad.got);
}

interface NonJson {
  readonly path: readonly string[];
  readonly got: string;
}

function findNonJson(value: unknown, ancestors: object[]): NonJson | null {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return null;
      return { path: [], got: Object.is(value, -0) ? "-0" : String(value) };
    case "object":
      return value === null ? null : findNonJsonInObject(value, ancestors);
    default:
      return { path: [], got: typeof value };
  }
}

function findNonJsonInObject(value: object, ancestors: object[]): NonJson | null {
  if (ancestors.includes(value)) return { path: [], got: "a value that contains itself" };
  if (ancestors.length >= MAX_JSON_DEPTH) return { path: [], got: `more than ${MAX_JSON_DEPTH} levels` };
  const isArray = Array.isArray(value);
  if (!isArray) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      return {
        path: [],
        got: (value as { constructor?: { name?: string } }).constructor?.name ?? "an object",
      };
    }
    if (typeof (value as { toJSON?: unknown }).toJSON === "function")
      return { path: ["toJSON"], got: "function" };
    if (Object.getOwnPropertySymbols(value).length > 0)
      return { path: [], got: "an object with symbol keys" };
  }
  ancestors.push(value);
  try {
    for (const key of isArray ? value.keys() : Object.keys(value)) {
      const member: unknown = (value as Record<string | number, unknown>)[key];
      if (member === undefined && !isArray) continue;
      const bad = findNonJson(member, ancestors);
      if (bad !== null) return { path: [String(key), ...bad.path], got: bad.got };
    }
  } finally {
    ancestors.pop();
  }
  return null;
}
