/** Parameters against the schema of their method. docs/reference/control-plane.md, "Parameters" */
import { z } from "zod";
import { fieldName, kindAt, kindOf } from "./given.ts";
import { InvalidParamsError, type WrongField } from "./rpc-error.ts";

/** Levels of nesting that parameters may have. */
const MAX_DEPTH = 128;

/**
 * Checks parameters. Unknown ones are left out; null counts as absent unless the schema takes it.
 *
 * @throws InvalidParamsError that names every parameter that is wrong
 */
export function readParams<Schema extends z.ZodObject>(schema: Schema, params: unknown): z.output<Schema> {
  const given = params ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new InvalidParamsError([{ field: "params", expected: "an object", got: kindOf(given) }]);
  }
  if (isDeeperThan(given, MAX_DEPTH)) {
    throw new InvalidParamsError([{ field: "params", expected: `at most ${MAX_DEPTH} levels`, got: "more" }]);
  }
  const known = Object.entries(schema.shape).flatMap(([name, member]) => {
    if (!Object.hasOwn(given, name)) return [];
    const value = (given as Readonly<Record<string, unknown>>)[name];
    return value === null && !z.safeParse(member, null).success ? [] : [[name, value] as const];
  });
  const parsed = schema.safeParse(Object.fromEntries(known));
  if (parsed.success) return parsed.data;
  throw new InvalidParamsError(fieldsOf(parsed.error.issues, given));
}

/** One line for each field: what it lacks first is what is told. */
function fieldsOf(issues: readonly z.core.$ZodIssue[], given: object): WrongField[] {
  const fields = new Map<string, WrongField>();
  for (const issue of issues) {
    const field = fieldName(issue.path);
    if (!fields.has(field))
      fields.set(field, { field, expected: expectedBy(issue), got: kindAt(given, issue.path) });
  }
  return [...fields.values()];
}

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `${/^[aeio]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_small":
      return `at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_union":
      return "one of the forms that the reference names";
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  return origin === "string" ? " characters" : origin === "array" ? " items" : "";
}

/** Without recursion: what is asked of may be as deep as a message is long. */
function isDeeperThan(value: object, limit: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((each) =>
      Object.values(each).filter((member): member is object => typeof member === "object" && member !== null),
    );
  }
  return false;
}
