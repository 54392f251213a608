/**
 * Bends arguments to their schema where a model wrote the right thing in the wrong type. The rules stand in
 * docs/reference/tools.md, "Arguments".
 *
 * ajv's own `coerceTypes` is not used: it changes values in place while it tries the branches of an `anyOf`, also
 * those that then fail, so it touches values that fit. Here only a place that a fault names is changed, by the same table.
 */
import { keysOf, valueAt, withoutValueAt, withValueAt } from "./json-path.ts";
import type { SchemaFault, Validator } from "./validator.ts";

/** The bent value, and what is still wrong with it. */
export interface Coerced {
  readonly value: unknown;
  readonly faults: readonly SchemaFault[];
}

/** Rounds of repair; each one uncovers what the last one hid, such as the members of a parsed object. */
const maxRounds = 16;

/** Returns `value` itself if it fits. Otherwise a changed copy that fits as well as it can be made to. */
export function coerce(validate: Validator, value: unknown): Coerced {
  let current: Coerced = { value, faults: validate(value) };
  const settled = new Set<string>();
  for (let round = 0; round < maxRounds && current.faults.length > 0; round += 1) {
    const next =
      parseTexts(validate, current) ?? dropNulls(validate, current) ?? convert(validate, current, settled);
    if (next === undefined) break;
    current = next;
  }
  return current;
}

interface Fix {
  readonly pointer: string;
  readonly value: unknown;
  /** Which branch of a union asked for it, or "" outside unions. */
  readonly branch: string;
}

/** A text that stands where only an object or an array may stand is read as JSON, and kept if it is one of that kind. */
function parseTexts(validate: Validator, { value, faults }: Coerced): Coerced | undefined {
  const fixes: Fix[] = [];
  for (const [pointer, wanted] of typesWanted(faults)) {
    const found = valueAt(value, keysOf(pointer));
    if (typeof found !== "string" || wanted.size === 0) continue;
    if (![...wanted].every((type) => type === "object" || type === "array" || type === "null")) continue;
    const parsed = parseContainer(found);
    const kind = Array.isArray(parsed) ? "array" : "object";
    if (parsed !== undefined && wanted.has(kind)) fixes.push({ pointer, value: parsed, branch: "" });
  }
  return fixes.length === 0 ? undefined : apply(validate, value, fixes);
}

function parseContainer(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined; // Not JSON: the text stays what it is, and the fault is reported.
  }
}

/** A `null` that is not allowed is removed where the member is optional. It never turns into another value. */
function dropNulls(validate: Validator, { value, faults }: Coerced): Coerced | undefined {
  for (const pointer of new Set(faults.map((fault) => fault.instancePath))) {
    const keys = keysOf(pointer);
    if (keys.length === 0 || valueAt(value, keys) !== null) continue;
    if (Array.isArray(valueAt(value, keys.slice(0, -1)))) continue;
    const without = withoutValueAt(value, keys);
    const left = validate(without);
    if (!left.some((fault) => isMissing(fault, pointer))) return { value: without, faults: left };
  }
  return undefined;
}

function isMissing(fault: SchemaFault, pointer: string): boolean {
  const missing: unknown = fault.params["missingProperty"];
  if (typeof missing !== "string") return false;
  return `${fault.instancePath}/${missing.replaceAll("~", "~0").replaceAll("/", "~1")}` === pointer;
}

function convert(validate: Validator, current: Coerced, settled: Set<string>): Coerced | undefined {
  const fixes: Fix[] = [];
  for (const fault of current.faults) {
    const { instancePath: pointer } = fault;
    if (fault.keyword !== "type" || settled.has(pointer)) continue;
    const converted = convertTo(typesOf(fault), valueAt(current.value, keysOf(pointer)));
    if (converted !== undefined) {
      const branch = /^.*?\/(?:anyOf|oneOf)\/\d+/.exec(fault.schemaPath)?.[0] ?? "";
      fixes.push({ pointer, value: converted.value, branch });
    }
  }
  if (fixes.length === 0) return undefined;
  const whole = apply(validate, current.value, fixes);
  const attempts = whole.faults.length === 0 ? [] : [...byBranch(fixes), ...fixes.map((fix) => [fix])];
  for (const attempt of attempts) {
    const tried = apply(validate, current.value, attempt);
    if (tried.faults.length === 0) return tried;
  }
  for (const fix of fixes) settled.add(fix.pointer);
  return whole;
}

function byBranch(fixes: readonly Fix[]): Fix[][] {
  const branches = new Set(fixes.map((fix) => fix.branch));
  branches.delete("");
  return [...branches].map((branch) => fixes.filter((fix) => fix.branch === branch || fix.branch === ""));
}

/** The first fix of each place wins, as the first type of a union does. */
function apply(validate: Validator, value: unknown, fixes: readonly Fix[]): Coerced {
  const first = new Map<string, unknown>();
  for (const fix of fixes) if (!first.has(fix.pointer)) first.set(fix.pointer, fix.value);
  let result = value;
  for (const [pointer, replacement] of first) result = withValueAt(result, keysOf(pointer), replacement);
  return { value: result, faults: validate(result) };
}

function typesWanted(faults: readonly SchemaFault[]): Map<string, Set<string>> {
  const wanted = new Map<string, Set<string>>();
  for (const fault of faults) {
    if (fault.keyword !== "type") continue;
    const types = wanted.get(fault.instancePath) ?? new Set();
    for (const type of typesOf(fault)) types.add(type);
    wanted.set(fault.instancePath, types);
  }
  return wanted;
}

function typesOf(fault: SchemaFault): string[] {
  const type: unknown = fault.params["type"];
  return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
}

/** ajv's table of `coerceTypes: true` ("Coercion rules" of its guide), except that a `null` is never a source. */
function convertTo(types: readonly string[], value: unknown): { readonly value: unknown } | undefined {
  for (const type of types) {
    switch (type) {
      case "string":
        if (typeof value === "number" || typeof value === "boolean") return { value: String(value) };
        break;
      case "number":
      case "integer": {
        const number = toNumber(value);
        if (number !== undefined && (type === "number" || Number.isInteger(number))) return { value: number };
        break;
      }
      case "boolean":
        if (value === "true" || value === 1) return { value: true };
        if (value === "false" || value === 0) return { value: false };
        break;
      case "null":
        if (value === "" || value === 0 || value === false) return { value: null };
        break;
    }
  }
  return undefined;
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
