import { hash } from "node:crypto";

/**
 * The name under which a path, an id or a text is shown where it may not be shown itself: equal inputs have equal
 * names. `null` stays `null`.
 *
 * @returns the first 16 lower-case hexadecimal digits of SHA-256 over the UTF-8 bytes
 */
export function hash16(text: string): string;
export function hash16(text: string | null): string | null;
export function hash16(text: string | null): string | null {
  return text === null ? null : hash("sha256", text, "hex").slice(0, 16);
}
