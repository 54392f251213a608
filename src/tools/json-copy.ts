/**
 * A deep copy of a value that somebody else made, if it is JSON; otherwise the place where it is not.
 *
 * `JSON.stringify` would be silent: a Map becomes `{}`, NaN becomes `null`, a Date becomes a string.
 */

/** The copy, or a message that names the bad field. */
export type JsonCopy =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

// Taken before any author's code runs: in a worker it may put its own in its place.
const NativeSet = Set;

const maxLevels = 256;
const maxValues = 200_000;
const maxCharacters = 8 * 1024 * 1024;

/** Whether a member at the top, as its author wrote it, belongs into the copy. */
export type TakesMember = (key: string, member: unknown) => boolean;

/** `text` with each half of a surrogate pair as U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\u{FFFD}");
}

/**
 * Copies own enumerable string members, reading each getter once. Members that are `undefined` and `__proto__` are left
 * out, `-0` becomes `0`, texts become well-formed. At most 256 levels, 200,000 values and 8,388,608 characters.
 *
 * @param name - what the value is called in a message
 * @param takes - default: every member
 */
export function copyJson(value: unknown, name: string, takes: TakesMember = () => true): JsonCopy {
  try {
    return { ok: true, value: new Copier(name, takes).copy(value, "", 0) };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, message: error.message };
    // A getter or a proxy of the value threw: what it threw may be anything.
    return {
      ok: false,
      message: `${name} could not be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

class NotJson extends Error {}

class Copier {
  readonly #name: string;
  readonly #takes: TakesMember;
  readonly #ancestors = new NativeSet<object>();
  #values = 0;
  #characters = 0;

  constructor(name: string, takes: TakesMember) {
    this.#name = name;
    this.#takes = takes;
  }

  copy(value: unknown, path: string, level: number): unknown {
    this.#values += 1;
    if (this.#values > maxValues) throw new NotJson(`the value holds more than ${maxValues} values`);
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "boolean":
        return value;
      case "number":
        if (!Number.isFinite(value)) throw this.#bad(path, String(value));
        return Object.is(value, -0) ? 0 : value;
      case "object":
        return value === null ? null : this.#container(value, path, level);
      case "undefined":
        throw this.#bad(path, "undefined");
      case "bigint":
        throw this.#bad(path, "a BigInt");
      case "symbol":
      case "function":
        throw this.#bad(path, `a ${typeof value}`);
    }
  }

  #container(value: object, path: string, level: number): unknown {
    if (level >= maxLevels) throw new NotJson(`the value is nested deeper than ${maxLevels} levels`);
    if (this.#ancestors.has(value)) throw this.#bad(path, "a cycle");
    this.#ancestors.add(value);
    const copy = Array.isArray(value) ? this.#array(value, path, level) : this.#record(value, path, level);
    this.#ancestors.delete(value);
    return copy;
  }

  #array(value: readonly unknown[], path: string, level: number): unknown[] {
    // Checked first: `new Array(4e9)` has no members and would still be walked.
    if (value.length > maxValues) throw new NotJson(`the value holds more than ${maxValues} values`);
    const copy: unknown[] = [];
    for (let index = 0; index < value.length; index += 1)
      copy.push(this.copy(value[index], join(path, String(index)), level + 1));
    return copy;
  }

  #record(value: object, path: string, level: number): Record<string, unknown> {
    if (!isPlain(value)) throw this.#bad(path, `a ${classOf(value)}`);
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[key];
      if (key === "__proto__" || member === undefined) continue;
      if (level === 0 && !this.#takes(key, member)) continue;
      copy[this.#text(key)] = this.copy(member, join(path, key), level + 1);
    }
    return copy;
  }

  #text(text: string): string {
    this.#characters += text.length;
    if (this.#characters > maxCharacters)
      throw new NotJson(`the value is larger than ${maxCharacters} characters`);
    return wellFormed(text);
  }

  #bad(path: string, got: string): NotJson {
    return new NotJson(`${path === "" ? this.#name : path}: ${got} is not a JSON value`);
  }
}

/** Made by `{}` or `Object.create(null)`, in whatever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    (typeof prototype === "object" &&
      Object.getPrototypeOf(prototype) === null &&
      Object.hasOwn(prototype, "isPrototypeOf"))
  );
}

function classOf(value: object): string {
  const constructor: unknown = value.constructor;
  return typeof constructor === "function" && constructor.name !== ""
    ? constructor.name
    : "object with a prototype";
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
