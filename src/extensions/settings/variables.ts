/** `{ env = "VAR" }` in settings: the value of an environment variable. */
import { isPlainObject } from "./pointer.ts";

/** Settings with the values of variables in them. */
export interface Resolved {
  readonly value: unknown;
  /** What each place was read from, by JSON Pointer. */
  readonly variables: ReadonlyMap<string, string>;
  /** Places that were left out, since their variable is not set, with its name. */
  readonly missing: ReadonlyMap<string, string>;
}

/** The name that `value` gives for a variable, if it is a table with the one key `env`. */
function variableOf(value: unknown): string | undefined {
  if (!isPlainObject(value)) return undefined;
  const { env, ...others } = value;
  return typeof env === "string" && Object.keys(others).length === 0 ? env : undefined;
}

/** A copy in which variables have their values. The table as a whole is never taken for a variable. */
export function resolveVariables(
  settings: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Resolved {
  const variables = new Map<string, string>();
  const missing = new Map<string, string>();
  return { value: copyTable(settings, ""), variables, missing };

  function copyTable(table: Readonly<Record<string, unknown>>, at: string): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(table).flatMap(([key, member]): [string, unknown][] => {
        const value = copy(member, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  }

  function copy(value: unknown, at: string): unknown {
    const variable = variableOf(value);
    if (variable !== undefined) {
      const text = env[variable];
      (text === undefined ? missing : variables).set(at, variable);
      return text;
    }
    // A place in a list is kept, so that those after it keep theirs.
    if (Array.isArray(value)) return value.map((item, index) => copy(item, `${at}/${index}`) ?? null);
    return isPlainObject(value) ? copyTable(value, at) : value;
  }
}
