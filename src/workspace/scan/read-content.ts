/** Reads a file whole, without waiting for anything and without leaving a trace where the system allows that. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { codeOf } from "../file-errors.ts";

/** A file at one moment. */
export interface Content {
  readonly stats: BigIntStats;
  readonly bytes: Buffer;
}

/** How often a file that changes while it is read is read again. */
const attempts = 3;

// A link in its place is not followed, and a pipe in its place is not waited for.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
// Linux only: the time of the last access stays what it is.
const quietly = flags | (process.platform === "linux" ? constants.O_NOATIME : 0);

/**
 * Reads the file at `absolute`.
 *
 * @param maxBytes - a file that is larger by now is not read
 * @param touchedNs - epoch nanoseconds; a file that was written to since may change while it is read
 * @param allocate - gives the memory for the content
 * @returns `"gone"` if there is no such file any more, `"unreadable"` if it can't be read or never holds still
 */
export function readContent(
  absolute: string,
  maxBytes: number,
  touchedNs: bigint,
  allocate: (bytes: number) => Buffer,
): Content | "gone" | "unreadable" {
  let descriptor: number;
  try {
    descriptor = openQuietly(absolute);
  } catch (error) {
    return isGone(error) ? "gone" : "unreadable";
  }
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const content = readOnce(descriptor, maxBytes, touchedNs, allocate);
      if (content !== "changed") return content;
    }
    return "unreadable";
  } catch {
    return "unreadable"; // Whatever the disk says of it: this file counts as not known, and the scan goes on.
  } finally {
    closeSync(descriptor);
  }
}

function openQuietly(absolute: string): number {
  try {
    return openSync(absolute, quietly);
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
    return openSync(absolute, flags); // Somebody else's file: only its owner may read it without a trace.
  }
}

/** ELOOP: a link by now. ENXIO: a pipe or a socket. */
function isGone(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(codeOf(error) ?? "");
}

function readOnce(
  descriptor: number,
  maxBytes: number,
  touchedNs: bigint,
  allocate: (bytes: number) => Buffer,
): Content | "gone" | "unreadable" | "changed" {
  const stats = fstatSync(descriptor, { bigint: true });
  if (!stats.isFile()) return "gone";
  const size = Number(stats.size);
  if (size > maxBytes) return "unreadable";
  // One byte more than there should be, so that growth shows.
  const buffer = allocate(size + 1);
  let length = 0;
  while (length <= size) {
    const count = readSync(descriptor, buffer, length, size + 1 - length, length);
    if (count === 0) break;
    length += count;
  }
  if (length !== size) return "changed";
  if (stats.mtimeNs >= touchedNs || stats.ctimeNs >= touchedNs) {
    const again = fstatSync(descriptor, { bigint: true });
    if (again.size !== stats.size || again.mtimeNs !== stats.mtimeNs || again.ctimeNs !== stats.ctimeNs)
      return "changed";
  }
  return { stats, bytes: buffer.subarray(0, size) };
}
