/**
 * What may enter the tables. Everything is checked when it is asked for, so that writing, where a failure costs the
 * whole batch, fails for nothing but the disk.
 */
import { InvalidEnvelopeError } from "../errors.ts";

/**
 * SQLite stores UTF-8 and ends some of its functions at U+0000: a name that does not survive that is refused.
 *
 * @param subject - what the field belongs to: the type of a fact, or a kind of request
 * @throws InvalidEnvelopeError
 */
export function assertName(subject: string, field: string, value: unknown): void {
  if (typeof value !== "string") refuse(subject, field, "a string", value);
  if (value === "") refuse(subject, field, "a string that is not empty", value);
  if (!value.isWellFormed() || value.includes("\0")) {
    refuse(subject, field, "well-formed text without U+0000", "other text");
  }
}

/** @throws InvalidEnvelopeError */
export function assertWhole(subject: string, field: string, value: unknown, least: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least)
    refuse(subject, field, "a whole number", value);
}

/** At three bytes a character, still less than the billion bytes that SQLite holds in a value. */
const MAX_TEXT_CHARS = 300_000_000;

/** @throws InvalidEnvelopeError */
export function assertText(subject: string, field: string, value: unknown): void {
  if (typeof value !== "string") refuse(subject, field, "a string", value);
  if (value.length > MAX_TEXT_CHARS)
    refuse(subject, field, `at most ${MAX_TEXT_CHARS} characters`, value.length);
}

/** @throws InvalidEnvelopeError always */
export function refuse(subject: string, field: string, expected: string, value: unknown): never {
  const got = typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
  throw new InvalidEnvelopeError(subject, { field, expected, got });
}
