/**
 * The one walk over a value that leaves an extension: a copy of what is JSON in it, or the reason why it is not.
 * It counts while it walks, so that a huge value is refused before any text is made of it.
 */
import * as built from "./captured.ts";
import { marksOf } from "./error-marks.ts";
import { tagged, tagKey } from "./tagged.ts";

/** The copy has null prototypes throughout, so that no `toJSON` of an author's is asked. */
export type Walked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Levels, values and characters of a value that may cross. */
const walkLimits = { levels: 256, values: 200_000, characters: 8 * 1024 * 1024 } as const;

/** Whether a member at the top, as its author wrote it, belongs into the copy. */
export type TakesMember = (key: string, member: unknown) => boolean;

interface Walk {
  readonly name: string;
  readonly takes: TakesMember | undefined;
  readonly withTags: boolean;
  values: number;
  characters: number;
  /** The containers and keys on the way down to the value at hand; an index beyond `depth` is stale. */
  readonly ancestors: object[];
  readonly keys: (string | number)[];
  problem: string | undefined;
}

const failed = built.setPrototypeOf({}, null) as object; // a value that no author can make

/**
 * Copies own enumerable string members, each getter read once. Members that are `undefined` and `__proto__` are left
 * out, `-0` becomes 0, half a surrogate pair becomes U+FFFD.
 *
 * @param name - what the value is called in a message
 * @param withTags - `Date`, `Uint8Array`, `URL`, `Error` and numbers that JSON lacks are tagged instead of refused
 * @param takes - default: every member
 */
export function walk(value: unknown, name: string, withTags = false, takes?: TakesMember): Walked {
  const state: Walk = {
    name,
    takes,
    withTags,
    values: 0,
    characters: 0,
    ancestors: built.bare([]),
    keys: built.bare([]),
    problem: undefined,
  };
  try {
    const copy = copyOf(state, value, 0);
    if (copy !== failed) return { ok: true, value: copy };
    return { ok: false, message: state.problem ?? "" };
  } catch (error) {
    return { ok: false, message: `${name} could not be read: ${messageText(error)}` };
  }
}

/** The message of anything that was thrown: its own `message` may throw in turn. */
export function messageText(error: unknown): string {
  try {
    if (typeof error === "object" && error !== null && "message" in error) {
      const { message } = error;
      if (typeof message === "string") return built.slice(message, 0, 4096);
    }
    return built.slice(built.toText(error), 0, 4096);
  } catch {
    return "what was thrown can't be shown"; // its text throws: there is nothing more to learn of it
  }
}

function copyOf(state: Walk, value: unknown, depth: number): unknown {
  state.values += 1;
  if (state.values > walkLimits.values)
    return fail(state, `the value holds more than ${walkLimits.values} values`);
  switch (typeof value) {
    case "string":
      return textOf(state, value);
    case "boolean":
      return value;
    case "number":
      if (built.isFinite(value)) return value === 0 ? 0 : value;
      return state.withTags ? tagged("number", `${value}`) : bad(state, depth, `${value}`);
    case "object":
      return value === null ? null : containerOf(state, value, depth);
    case "undefined":
      return bad(state, depth, "undefined");
    case "bigint":
      return bad(state, depth, "a BigInt");
    case "symbol":
    case "function":
      return bad(state, depth, `a ${typeof value}`);
  }
}

function containerOf(state: Walk, value: object, depth: number): unknown {
  if (depth >= walkLimits.levels)
    return fail(state, `the value is nested deeper than ${walkLimits.levels} levels`);
  for (let level = 0; level < depth; level += 1)
    if (state.ancestors[level] === value) return bad(state, depth, "a cycle");
  state.ancestors[depth] = value;
  if (built.isArray(value)) return arrayOf(state, value, depth);
  if (!isPlain(value)) {
    const special = state.withTags ? taggedOf(state, value) : undefined;
    return special ?? bad(state, depth, `a ${classOf(value)}`);
  }
  return recordOf(state, value as Readonly<Record<string, unknown>>, depth);
}

function arrayOf(state: Walk, value: readonly unknown[], depth: number): unknown {
  const { length } = value;
  // Checked first: `new Array(4e9)` has no members and would still be walked.
  if (length > walkLimits.values) return fail(state, `the value holds more than ${walkLimits.values} values`);
  const copy: unknown[] = built.bare([]);
  for (let index = 0; index < length; index += 1) {
    state.keys[depth] = index;
    const member = copyOf(state, value[index], depth + 1);
    if (member === failed) return failed;
    copy[index] = member;
  }
  return copy;
}

function recordOf(state: Walk, value: Readonly<Record<string, unknown>>, depth: number): unknown {
  const keys = built.ownKeys(value);
  if (keys.length > walkLimits.values)
    return fail(state, `the value holds more than ${walkLimits.values} values`);
  const copy = { __proto__: null } as unknown as Record<string, unknown>;
  let isTagLike = false;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string; // below the length
    const member = value[key];
    if (key === "__proto__" || member === undefined) continue;
    if (depth === 0 && state.takes?.(key, member) === false) continue;
    state.keys[depth] = key;
    const copiedKey = textOf(state, key);
    if (typeof copiedKey !== "string") return failed;
    const copied = copyOf(state, member, depth + 1);
    if (copied === failed) return failed;
    copy[copiedKey] = copied;
    if (key === tagKey) isTagLike = true;
  }
  return isTagLike && state.withTags ? tagged("object", copy) : copy;
}

function textOf(state: Walk, text: string): string | object {
  state.characters += text.length;
  if (state.characters > walkLimits.characters)
    return fail(state, `the value is larger than ${walkLimits.characters} characters`);
  return built.toWellFormed(text);
}

function taggedOf(state: Walk, value: object): unknown {
  if (built.isDate(value)) return tagged("date", isoOf(value as Date));
  if (built.isUint8Array(value)) {
    if (value.byteLength * 2 + state.characters > walkLimits.characters)
      return fail(state, `the value is larger than ${walkLimits.characters} characters`);
    return tagged("bytes", textOf(state, built.base64(value)));
  }
  if (built.isNativeError(value)) {
    const name = textOf(state, built.slice(nameOf(value), 0, 200));
    const message = textOf(state, messageText(value));
    return typeof name === "string" && typeof message === "string"
      ? tagged("error", { __proto__: null, name, message, marks: marksOf(value) })
      : failed;
  }
  return urlOf(state, value);
}

function isoOf(date: Date): string | null {
  try {
    return built.toIso(date);
  } catch {
    return null; // an invalid date: it arrives as one
  }
}

function urlOf(state: Walk, value: object): unknown {
  if (!(value instanceof built.URLOf)) return undefined;
  return tagged("url", textOf(state, built.hrefOf(value)));
}

function nameOf(error: Error): string {
  try {
    return typeof error.name === "string" ? error.name : "Error";
  } catch {
    return "Error"; // a getter of the author's threw: the message still tells
  }
}

function fail(state: Walk, problem: string): object {
  state.problem ??= problem;
  return failed;
}

/** Only now is the path built. */
function bad(state: Walk, depth: number, got: string): object {
  let path = "";
  for (let level = 0; level < depth; level += 1)
    path = path === "" ? `${state.keys[level]}` : `${path}.${state.keys[level]}`;
  return fail(state, `${path === "" ? state.name : path}: ${got} is not a JSON value`);
}

/** Made by `{}` or `Object.create(null)`, in whatever realm. */
function isPlain(value: object): boolean {
  const prototype = built.getPrototypeOf(value);
  if (prototype === null || prototype === built.objectPrototype) return true;
  return (
    typeof prototype === "object" &&
    built.getPrototypeOf(prototype) === null &&
    built.hasOwn(prototype, "isPrototypeOf")
  );
}

/** The name of a value's class, as its author wrote it. */
export function classOf(value: object): string {
  try {
    const { constructor } = value;
    if (typeof constructor === "function") {
      const name: unknown = constructor.name;
      if (typeof name === "string" && name !== "") return built.slice(name, 0, 200);
    }
  } catch {
    return "object with a prototype"; // a getter or a proxy of the author's threw
  }
  return "object with a prototype";
}
