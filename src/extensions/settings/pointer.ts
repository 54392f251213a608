/** Places in settings, as JSON Pointers (RFC 6901) and as people write them. */

/** Whether it is a JSON object. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys of a pointer. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** `/limits/0/max` as `limits.0.max`. */
export function fieldName(pointer: string): string {
  return keysOf(pointer).join(".");
}

/** A copy of `value` in which `change` has replaced what is at `pointer`; the same when nothing is there. */
export function replaceAt(value: unknown, pointer: string, change: (found: unknown) => unknown): unknown {
  return replace(value, keysOf(pointer));

  function replace(found: unknown, [key, ...rest]: readonly string[]): unknown {
    if (key === undefined) return change(found);
    if (Array.isArray(found)) {
      return found.map((item: unknown, index) => (String(index) === key ? replace(item, rest) : item));
    }
    if (!isPlainObject(found) || !Object.hasOwn(found, key)) return found;
    return Object.fromEntries(
      Object.entries(found).map(([name, member]) => [name, name === key ? replace(member, rest) : member]),
    );
  }
}
