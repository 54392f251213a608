/**
 * Data that was left out: in its place the column holds the digest of its text, behind a word with which no JSON text
 * begins. Every reader of the column comes by here.
 */

const MARK = "sha256:";
const DIGEST = /^[0-9a-f]{64}$/;

/** What a reader gets for the data of such a fact. */
export const NO_DATA = "null";

/** Whether it is a SHA-256 in lower-case hex. */
export function isDigest(value: unknown): value is string {
  return typeof value === "string" && DIGEST.test(value);
}

/** What is stored in place of a text with this digest. */
export function redactedText(digest: string): string {
  return MARK + digest;
}

/** The digest that stands in place of a text; `undefined` for a text. */
export function digestIn(stored: string): string | undefined {
  // Asked of every fact that is read: the letter first.
  return stored.charCodeAt(0) === 0x73 && stored.startsWith(MARK) ? stored.slice(MARK.length) : undefined;
}
