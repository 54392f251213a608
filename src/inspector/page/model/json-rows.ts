/** A JSON value as rows that open and close. */

/** A row: a member with its value, or the head of an object or an array. */
export interface JsonRow {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly name: string;
  readonly level: number;
  readonly kind: "string" | "number" | "boolean" | "null" | "object" | "array" | "more";
  /** The value of a leaf as JSON, what is in a closed one otherwise. */
  readonly text: string;
  readonly isOpen: boolean;
}

const MOST = 200;

/** Rows of a value. `isOpen` says which objects show their members. Of more than 200 members the rest is one row. */
export function jsonRows(value: unknown, isOpen: (pointer: string, level: number) => boolean): JsonRow[] {
  const rows: JsonRow[] = [];
  const visit = (name: string, member: unknown, pointer: string, level: number): void => {
    const kind = kindOf(member);
    if (kind !== "object" && kind !== "array") {
      rows.push({ pointer, name, level, kind, text: JSON.stringify(member) ?? "undefined", isOpen: false });
      return;
    }
    const members = Object.entries(member as object);
    const open = members.length > 0 && isOpen(pointer, level);
    rows.push({ pointer, name, level, kind, text: outline(kind, members), isOpen: open });
    if (!open) return;
    for (const [key, inner] of members.slice(0, MOST))
      visit(key, inner, `${pointer}/${escaped(key)}`, level + 1);
    if (members.length > MOST)
      rows.push({
        pointer: `${pointer}/…`,
        name: "…",
        level: level + 1,
        kind: "more",
        text: `${members.length - MOST} more`,
        isOpen: false,
      });
  };
  const kind = kindOf(value);
  if (kind === "object" || kind === "array")
    for (const [key, member] of Object.entries(value as object)) visit(key, member, `/${escaped(key)}`, 1);
  else visit("", value, "", 1);
  return rows;
}

/** The value at a JSON Pointer; `undefined` where there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Record<string, unknown>)[key]
          : undefined,
      value,
    );
}

function outline(kind: "object" | "array", members: readonly (readonly [string, unknown])[]): string {
  if (kind === "array") return members.length === 0 ? "[]" : `[${members.length}]`;
  if (members.length === 0) return "{}";
  const names = members.map(([name]) => name).slice(0, 6);
  return `{ ${names.join(", ")}${members.length > names.length ? ", …" : ""} }`;
}

function kindOf(value: unknown): Exclude<JsonRow["kind"], "more"> {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
