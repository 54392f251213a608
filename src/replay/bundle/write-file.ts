/** Writes the lines of a bundle: packed, for their owner alone, and under their name only once they are whole. */
import { createHash, randomBytes } from "node:crypto";
import { link, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { messageOf } from "../../errors.ts";
import { BundleFileError } from "./errors.ts";
import type { EndLine } from "./format.ts";

/** Lines are packed together until they have so many characters. */
const CHUNK_CHARS = 64 * 1024;

/** @throws BundleFileError when the name is taken, or no file can be made there */
export async function writeBundleFile(file: string, lines: AsyncIterable<unknown>): Promise<void> {
  const target = path.resolve(file);
  if ((await stat(target).catch(() => null)) !== null) throw new BundleFileError(target, "is there already");
  const part = `${target}.${randomBytes(6).toString("hex")}.part`;
  const handle = await open(part, "wx", 0o600).catch((error: unknown) => {
    throw new BundleFileError(target, `can't be written: ${messageOf(error)}`, error);
  });
  try {
    // Flushed before it closes, which it also does when packing fails.
    const sink = handle.createWriteStream({ flush: true });
    await pipeline(Readable.from(chunksOf(lines)), createGzip(), sink);
    await giveName(part, target);
  } finally {
    await rm(part, { force: true });
  }
}

/** Never in the place of another file, also one that was made meanwhile. */
async function giveName(part: string, target: string): Promise<void> {
  try {
    await link(part, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new BundleFileError(target, "is there already", error);
    // A file system without hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error;
    await rename(part, target);
  }
}

async function* chunksOf(lines: AsyncIterable<unknown>): AsyncGenerator<string> {
  const digest = createHash("sha256");
  let count = 0;
  let chunk = "";
  for await (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    digest.update(text);
    count += 1;
    chunk += text;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  const end: EndLine = { record: "end", lines: count, sha256: digest.digest("hex") };
  yield `${chunk}${JSON.stringify(end)}\n`;
}
