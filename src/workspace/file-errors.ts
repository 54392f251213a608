/**
 * Errors of the file system in words that say what to do, without stack or system call.
 */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { LemonError, messageOf } from "../errors.ts";

/** Something about a file is not as it must be. Code `LEMON_FILE`; `got` is the system's code where there is one. */
export class FileError extends LemonError {
  constructor(message: string, cause?: unknown) {
    const code = codeOf(cause);
    super("file", message, {
      ...(code === undefined ? {} : { got: code }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/**
 * The error to show for `cause`. For a file that is not there it names similar ones.
 *
 * @param path - the absolute path
 * @param shown - the path as the message gives it
 */
export async function fileError(cause: unknown, path: string, shown: string): Promise<LemonError> {
  if (cause instanceof LemonError) return cause;
  switch (codeOf(cause)) {
    case "ENOENT":
      return new FileError(`${shown} does not exist${await hintFor(path)}`, cause);
    case "ENOTDIR":
      return new FileError(`${shown}: a part of the path is a file, not a directory`, cause);
    case "EISDIR":
      return new FileError(`${shown} is a directory`, cause);
    case "EACCES":
    case "EPERM":
      return new FileError(`${shown}: permission denied`, cause);
    case "ELOOP":
      return new FileError(`${shown}: too many symbolic links`, cause);
    case "ENAMETOOLONG":
      return new FileError(`${shown.slice(0, 100)}…: the name is too long`, cause);
    case "ENOSPC":
      return new FileError(`${shown}: the disk is full`, cause);
    case "EROFS":
      return new FileError(`${shown}: the file system is read-only`, cause);
    default:
      return new FileError(`${shown}: ${messageOf(cause)}`, cause);
  }
}

async function hintFor(path: string): Promise<string> {
  const directory = dirname(path);
  try {
    if (!(await stat(directory)).isDirectory()) return "";
  } catch {
    return `, nor does the directory ${directory}`;
  }
  const names = await similarNames(path);
  return names.length === 0 ? "" : `. Did you mean ${names.join(", ")}?`;
}

/** More entries than this are not compared. */
const maxCompared = 5_000;

/** Up to three names beside `path` that look like its own, the nearest first. */
async function similarNames(path: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(dirname(path));
  } catch {
    return []; // A hint only: the error that led here is reported either way.
  }
  const wanted = folded(basename(path));
  return names
    .slice(0, maxCompared)
    .map((name) => ({ name, distance: distanceOf(wanted, folded(name)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Names that differ in case, in composition (NFC and NFD) or in the kind of a blank only are the same to a reader. */
function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").slice(0, 100);
}

/** 0 for equal names, 1 where one holds the other, else Levenshtein's distance. */
function distanceOf(a: string, b: string): number {
  if (a === b) return 0;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= 3 && long.includes(short)) return 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
