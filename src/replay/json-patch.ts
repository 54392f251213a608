/** The JSON Patch (RFC 6902) from one JSON object to another. */
import jsonPatch from "fast-json-patch";

/** An operation of a patch; a diff needs three of them. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * Operations that make `to` of `from`, in the order in which they are applied.
 *
 * Appliers refuse paths through `__proto__` and `constructor/prototype`, though JSON may have such members: what
 * stands above one is replaced as a whole.
 */
export function patchBetween(from: object, to: object): PatchOperation[] {
  // Between two JSON values the library makes these three alone.
  const operations = jsonPatch.compare(from, to) as PatchOperation[];
  const replaced = new Set(operations.map(({ path }) => safeAbove(path)).filter((path) => path !== null));
  if (replaced.size === 0) return operations;
  const isKept = ({ path }: PatchOperation): boolean =>
    ![...replaced].some((above) => path === above || path.startsWith(`${above}/`));
  return [
    ...operations.filter(isKept),
    ...[...replaced].map((path) => ({ op: "replace" as const, path, value: valueAt(to, path) })),
  ];
}

/** The path of what stands above a member that can't be named in a path; `null` for a path without one. */
function safeAbove(path: string): string | null {
  const names = path.split("/");
  const at = names.findIndex(
    (name, index) => name === "__proto__" || (name === "prototype" && names[index - 1] === "constructor"),
  );
  if (at === -1) return null;
  return names.slice(0, names[at] === "prototype" ? at - 1 : at).join("/");
}

/** RFC 6901. */
function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path.split("/").slice(1)) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
