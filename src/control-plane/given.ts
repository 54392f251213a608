/** What a caller gave, told without telling what it holds. */

/** The parameter's name, or a JSON Pointer to what is wrong within it (RFC 6901). */
export function fieldName(path: readonly PropertyKey[]): string {
  if (path.length === 1) return String(path[0]);
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The type of what was given under a name of {@link fieldName}. */
export function kindAtField(params: unknown, field: string): string {
  if (!field.startsWith("/")) return kindAt(params, [field]);
  const keys = field.slice(1).split("/");
  return kindAt(
    params,
    keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
}

/** The type of what was given at a path. */
export function kindAt(params: unknown, path: readonly PropertyKey[]): string {
  let found = params;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return kindOf(undefined);
    found = (found as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return kindOf(found);
}

/** The type of a value in one word. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "an empty string";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
