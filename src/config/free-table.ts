/** A table whose keys are not ours, such as the settings of an extension: any JSON. */
import { isTable, nameOfType, type Kind, type WrongPart } from "./kinds.ts";

type FreeTable = Readonly<Record<string, unknown>>;

const EXPECTED = "a JSON value";
/** Deeper than anyone writes by hand; a program's object that holds itself ends here. */
const MAX_DEPTH = 64;

/** A table of texts, numbers, booleans, lists and tables. Laid over another it merges key by key, at every depth. */
export const freeTable: Kind<FreeTable> = {
  expected: "a table",
  read: (found) =>
    isTable(found) && wrongPartOf(found, []) === undefined ? (copy(found) as FreeTable) : undefined,
  readText: () => undefined,
  wrongPart: (found) =>
    isTable(found) ? wrongPartOf(found, []) : { path: [], expected: "a table", got: nameOf(found) },
  layOver: merge,
};

/** `{ env = "VAR" }` stands for one value, so it is replaced as a whole and never mixed with another table. */
function merge(below: FreeTable, above: FreeTable): FreeTable {
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const under = merged.get(key);
    const bothOpen = isTable(under) && isTable(value) && !isVariable(under) && !isVariable(value);
    merged.set(key, bothOpen ? merge(under, value) : value);
  }
  return Object.fromEntries(merged);
}

function isVariable(table: FreeTable): boolean {
  const keys = Object.keys(table);
  return keys.length === 1 && keys[0] === "env" && typeof table["env"] === "string";
}

function wrongPartOf(found: unknown, path: readonly string[]): WrongPart | undefined {
  const isDeep = path.length > MAX_DEPTH;
  if (isDeep) return { path: path.slice(0, 1), expected: EXPECTED, got: `more than ${MAX_DEPTH} levels` };
  if (Array.isArray(found) || isPlainTable(found)) {
    for (const [key, member] of Object.entries(found)) {
      const wrong = member === undefined ? undefined : wrongPartOf(member, [...path, key]);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  if (found === null || typeof found === "string" || typeof found === "boolean") return undefined;
  if (typeof found === "number" && Number.isFinite(found)) return undefined;
  return { path, expected: EXPECTED, got: nameOf(found) };
}

/** What stands in a table of settings may be a secret, a number too: its type has to do. */
function nameOf(found: unknown): string {
  if (isTable(found)) return "an object of a class";
  if (typeof found !== "number") return nameOfType(found);
  return Number.isFinite(found) ? "a number" : "a number that JSON has no word for";
}

function isPlainTable(found: unknown): found is FreeTable {
  if (!isTable(found)) return false;
  const prototype: unknown = Object.getPrototypeOf(found);
  return prototype === Object.prototype || prototype === null;
}

/** Of what is known to be sound; members that are `undefined` are left out. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item ?? null));
  if (!isTable(value)) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, copy(member)]])),
  );
}
