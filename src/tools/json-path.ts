/**
 * Places inside a JSON value, as ajv names them (JSON Pointer, RFC 6901).
 */

/** The keys of a JSON Pointer: `/size/0` is `["size", "0"]`. */
export function keysOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at `keys`, own members only; `undefined` where there is none. */
export function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value: unknown = root;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** A copy of `root` with `value` at `keys`; only the containers on the way are new. */
export function withValueAt(root: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const copy = shallowCopy(root);
  // Not an assignment: `__proto__` is an ordinary key of parsed JSON.
  Object.defineProperty(copy, key, {
    value: withValueAt(valueAt(root, [key]), rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

/** A copy of `root` without the member at `keys`. */
export function withoutValueAt(root: unknown, keys: readonly string[]): unknown {
  const parent = keys.slice(0, -1);
  const copy = shallowCopy(valueAt(root, parent));
  Reflect.deleteProperty(copy, keys.at(-1) ?? "");
  return withValueAt(root, parent, copy);
}

function shallowCopy(value: unknown): object {
  if (Array.isArray(value)) return [...(value as unknown[])];
  const copy = {};
  if (typeof value === "object" && value !== null) {
    Object.defineProperties(copy, Object.getOwnPropertyDescriptors(value));
  }
  return copy;
}
