/**
 * Hides secret values in JSON, text that comes in pieces, and bytes, before they are recorded, logged or shown. Pure:
 * the values are given.
 *
 * A secret is found raw, JSON-escaped, URL-encoded, in hexadecimal, and in base64 and base64url at all three
 * alignments. docs/reference/secrets.md
 */
import type { Json } from "../events/index.ts";
import { encodingsOf, MIN_SECRET_LENGTH } from "./encodings.ts";

/** A value to hide, and the name that stands in its place. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Hides text that comes in pieces: the end of it is held back, since a secret may go on in the next piece. */
export interface PieceMasker {
  /** @returns what may be shown by now */
  push(piece: string): string;
  /** @returns what was held back; nothing more comes */
  flush(): string;
}

/** Hides a set of secrets. */
export interface Masker {
  /** The same value comes back when there was nothing to hide in it. */
  json<Value extends Json>(value: Value): Value;
  bytes(bytes: Uint8Array): Uint8Array;
  pieces(): PieceMasker;
}

interface Needle {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly mark: string;
}

// Enumerated words and identifiers are ours, never a person's text, and other facts refer to them. Tools may use the
// same names for members of their own, so only what has the looks of ours is passed over.
const words: ReadonlySet<string> = new Set(
  (
    "text image reasoning tool_call user assistant custom tool completed aborted failed model memory search worker " +
    "supervisor object array string number integer boolean null"
  ).split(" "),
);
const isWord = (value: string): boolean => words.has(value);
const isId = (value: string): boolean => /^[a-z]+_[0-9a-f]{16}$/.test(value);
const unsearched: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["type", isWord],
  ["role", isWord],
  ["status", isWord],
  ["callId", isId],
  ["runId", isId],
  // Whatever the provider calls it: it has to be told the same again.
  ["providerCallId", () => true],
  ["sha256", (value) => /^[0-9a-f]{64}$/.test(value)],
]);

/** A masker for these secrets; those below {@link MIN_SECRET_LENGTH} characters cannot be hidden and are left out. */
export function createMasker(secrets: readonly KnownSecret[]): Masker {
  const needles = secrets
    .filter(({ value }) => value.length >= MIN_SECRET_LENGTH)
    .flatMap(({ name, value }) => encodingsOf(value).map((text) => needle(name, text)))
    .sort((a, b) => b.text.length - a.text.length);
  const longest = needles[0]?.text.length ?? 0;
  return {
    // Masking keeps the shape of a value: only texts change.
    json: (value) => (longest === 0 ? value : (maskJson(value, needles) as typeof value)),
    bytes: (bytes) => needles.reduce(replaceBytes, bytes),
    pieces: () => pieceMasker(needles, longest),
  };
}

function needle(name: string, text: string): Needle {
  return { text, bytes: new TextEncoder().encode(text), mark: `{{secret:${name}}}` };
}

function maskJson(value: Json, needles: readonly Needle[]): Json {
  if (typeof value === "string") return maskText(value, needles);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) {
    const masked = value.map((item) => maskJson(item, needles));
    return masked.every((item, index) => item === value[index]) ? value : masked;
  }
  let changed = false;
  const members: [string, Json][] = Object.entries(value).map(([key, member]) => {
    const masked = isOurs(key, member) ? member : maskJson(member, needles);
    // A model or a tool may put a secret into the name of a member as well.
    const name = maskText(key, needles);
    changed ||= masked !== member || name !== key;
    return [name, masked];
  });
  return changed ? Object.fromEntries(members) : value;
}

function isOurs(key: string, member: Json): boolean {
  return typeof member === "string" && unsearched.get(key)?.(member) === true;
}

function maskText(text: string, needles: readonly Needle[]): string {
  let masked = text;
  for (const needle of needles) {
    if (masked.includes(needle.text)) masked = masked.split(needle.text).join(needle.mark);
  }
  return masked;
}

function pieceMasker(needles: readonly Needle[], longest: number): PieceMasker {
  let held = "";
  return {
    push(piece) {
      if (longest === 0) return piece;
      const masked = maskText(held + piece, needles);
      // Of a secret that is not whole yet, at most all but its last character can be here.
      let cut = Math.max(0, masked.length - (longest - 1));
      if (isLowSurrogate(masked.charCodeAt(cut))) cut -= 1;
      held = masked.slice(Math.max(cut, 0));
      return masked.slice(0, Math.max(cut, 0));
    },
    flush() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function replaceBytes(bytes: Uint8Array, { bytes: wanted, mark }: Needle): Uint8Array {
  const found: number[] = [];
  for (
    let at = indexOfBytes(bytes, wanted, 0);
    at >= 0;
    at = indexOfBytes(bytes, wanted, at + wanted.length)
  ) {
    found.push(at);
  }
  if (found.length === 0) return bytes;
  const replacement = new TextEncoder().encode(mark);
  const masked = new Uint8Array(bytes.length + found.length * (replacement.length - wanted.length));
  let from = 0;
  let to = 0;
  for (const at of found) {
    masked.set(bytes.subarray(from, at), to);
    to += at - from;
    masked.set(replacement, to);
    to += replacement.length;
    from = at + wanted.length;
  }
  masked.set(bytes.subarray(from), to);
  return masked;
}

function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const [first] = wanted;
  if (first === undefined) return -1;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
