/** Cutting text to a number of bytes, at a code point. docs/reference/redaction.md, "Length" */

/** Of a text that is kept for people. */
const MAX_TEXT_BYTES = 4_096;
/** Of a preview. */
export const MAX_PREVIEW_BYTES = 256;

/** What is left of a text, and how many bytes of UTF-8 were cut. */
export interface CutText {
  readonly text: string;
  readonly cutBytes: number;
}

/** Cuts a text to at most `maxBytes` bytes of UTF-8. Redact it first: half a secret is not found any more. */
export function cutBytes(text: string, maxBytes: number = MAX_TEXT_BYTES): CutText {
  // One UTF-16 unit has at most three bytes, so most texts need no encoding.
  if (text.length * 3 <= maxBytes) return { text, cutBytes: 0 };
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, cutBytes: 0 };
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return { text: new TextDecoder().decode(bytes.subarray(0, end)), cutBytes: bytes.length - end };
}

/** The same as one text that says how much is missing. */
export function shorten(text: string, maxBytes: number = MAX_TEXT_BYTES): string {
  const cut = cutBytes(text, maxBytes);
  return cut.cutBytes === 0 ? text : `${cut.text} [${cut.cutBytes} bytes cut]`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
