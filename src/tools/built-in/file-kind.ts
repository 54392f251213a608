/**
 * What a file is, judged by its first bytes and never by its name.
 */

/** The type of an image that models take. */
export function imageType(start: Buffer): string | undefined {
  const head = start.toString("latin1", 0, 12);
  if (head.startsWith("\u{89}PNG\r\n\u{1a}\n")) return "image/png";
  if (head.startsWith("\u{ff}\u{d8}\u{ff}")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}

/** The encoding that a byte order mark of UTF-16 names. */
export function utf16Bom(start: Buffer): "UTF-16LE" | "UTF-16BE" | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "UTF-16LE";
  return start[0] === 0xfe && start[1] === 0xff ? "UTF-16BE" : undefined;
}

/** Text holds no NUL; nearly everything else does within its first kilobytes. */
export function looksBinary(start: Buffer): boolean {
  return start.includes(0) || start.subarray(0, 5).toString("latin1") === "%PDF-";
}

/** Whether there is a byte order mark of UTF-8. */
export function startsWithBom(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
