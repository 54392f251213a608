/** The lines of a file that somebody gave us: packed or not, a line in memory at a time, and never more than they may be. */
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf, NotFoundError } from "../../errors.ts";
import { InvalidBundleError } from "./errors.ts";
import { MAX_BUNDLE_BYTES, MAX_LINE_BYTES } from "./format.ts";

/** Its bytes without the line feed at its end. */
export interface RawLine {
  readonly number: number;
  readonly bytes: Uint8Array;
}

const LINE_FEED = 0x0a;

/**
 * @throws NotFoundError when there is no such file
 * @throws InvalidBundleError when it can't be read or unpacked, or is larger than may be
 */
export async function* readLines(file: string): AsyncGenerator<RawLine> {
  const source = await openSource(file);
  let number = 1;
  let size = 0;
  let pieces: Uint8Array[] = [];
  let pending = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BUNDLE_BYTES)
        throw new InvalidBundleError(`it unpacks to more than ${MAX_BUNDLE_BYTES} bytes`);
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        pieces.push(chunk.subarray(from, at));
        yield { number, bytes: pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces) };
        number += 1;
        pieces = [];
        pending = 0;
        from = at + 1;
      }
      if (from === chunk.length) continue;
      pieces.push(chunk.subarray(from));
      pending += chunk.length - from;
      if (pending > MAX_LINE_BYTES)
        throw new InvalidBundleError(`longer than ${MAX_LINE_BYTES} bytes`, number);
    }
  } catch (error) {
    if (error instanceof InvalidBundleError) throw error;
    throw new InvalidBundleError(`it can't be read or unpacked (${messageOf(error)})`, number, error);
  } finally {
    source.destroy();
  }
  if (pending > 0) throw new InvalidBundleError("it ends in the middle of a line", number);
}

async function openSource(file: string): Promise<Readable> {
  let handle;
  try {
    handle = await open(file, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new NotFoundError(`there is no file ${file}`, { field: "file" });
    throw new InvalidBundleError(`${file} can't be read (${messageOf(error)})`, null, error);
  }
  try {
    // Reading a pipe twice gives two halves, and a folder nothing.
    if (!(await handle.stat()).isFile()) throw new InvalidBundleError(`${file} is not a regular file`);
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0);
    const bytes = handle.createReadStream({ start: 0 });
    if (magic.readUInt16BE() !== 0x1f8b) return bytes;
    const unpacked = createGunzip();
    bytes.on("error", (error) => unpacked.destroy(error));
    unpacked.on("close", () => bytes.destroy());
    return bytes.pipe(unpacked);
  } catch (error) {
    await handle.close();
    throw error;
  }
}
