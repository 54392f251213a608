/**
 * Hides secret values in JSON before it is recorded, logged or shown. Pure: the values are given.
 *
 * A secret is found raw, JSON-escaped, URL-encoded, in hexadecimal, and in base64 and base64url at all three
 * alignments. docs/reference/secrets.md
 */
import type { Json } from "../events/index.ts";

/** A value to hide, and the name that stands in its place. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Shorter values cannot be hidden: they would turn up in ordinary text. */
export const MIN_SECRET_LENGTH = 8;

/** Hides secrets in a value; the same object comes back when there was none in it. */
export type Masker = <Value extends Json>(value: Value) => Value;

// Enumerated words and identifiers are ours, never a person's text, and other facts refer to them.
const unsearched = new Set(["type", "role", "status", "callId", "runId", "providerCallId", "sha256"]);

/** A masker for these secrets; those below {@link MIN_SECRET_LENGTH} characters are left out. */
export function createMasker(secrets: readonly KnownSecret[]): Masker {
  const needles = secrets
    .filter(({ value }) => value.length >= MIN_SECRET_LENGTH)
    .flatMap(({ name, value }) => encodingsOf(value).map((needle) => ({ needle, name })))
    .sort((a, b) => b.needle.length - a.needle.length);
  if (needles.length === 0) return (value) => value;

  const maskText = (text: string): string => {
    let masked = text;
    for (const { needle, name } of needles) {
      if (masked.includes(needle)) masked = masked.split(needle).join(`{{secret:${name}}}`);
    }
    return masked;
  };
  const mask = (value: Json): Json => {
    if (typeof value === "string") return maskText(value);
    if (typeof value !== "object" || value === null) return value;
    if (isList(value)) {
      const masked = value.map(mask);
      return masked.every((item, index) => item === value[index]) ? value : masked;
    }
    let changed = false;
    const members: [string, Json][] = Object.entries(value).map(([key, member]) => {
      const masked = unsearched.has(key) ? member : mask(member);
      changed ||= masked !== member;
      return [key, masked];
    });
    return changed ? Object.fromEntries(members) : value;
  };
  // Masking keeps the shape of a value: only texts change.
  return (value) => mask(value) as typeof value;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The forms in which a value is looked for, without repeats. */
function encodingsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...base64Cores(bytes),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

/**
 * The characters of base64 that depend on the value alone, for each of the three places at which it may start
 * within a group of three bytes.
 */
function base64Cores(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const text = btoa(String.fromCharCode(...padded)).replaceAll("=", "");
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const core = text.slice(first, last);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
