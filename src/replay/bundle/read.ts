/** The contents of a bundle, line by line, each of which must be what its place demands; what they say is not judged here. */
import { createHash } from "node:crypto";
import { InvalidBundleError, BundleNewerError } from "./errors.ts";
import { BUNDLE_VERSION, type BlobLine, type BundleHeader, type FactLine } from "./format.ts";
import { bundleMark, parseHeader, parseLine } from "./line-shapes.ts";
import { readLines, type RawLine } from "./read-lines.ts";

/** What a reader is given, in this order: the header, facts, whole blobs, and the digest of it all. */
export type BundleRecord =
  | { readonly is: "header"; readonly header: BundleHeader }
  | { readonly is: "fact"; readonly fact: FactLine; readonly line: number }
  | { readonly is: "blob"; readonly sha256: string; readonly bytes: Uint8Array; readonly line: number }
  | { readonly is: "end"; readonly sha256: string };

/** As large as a log can hold one. */
const MAX_BLOB_BYTES = 999_000_000;

/**
 * @throws NotFoundError when there is no such file
 * @throws BundleNewerError when a newer version wrote it
 * @throws InvalidBundleError when a line is not what its place demands, or the file was cut off or changed
 */
export async function* readBundle(file: string): AsyncGenerator<BundleRecord> {
  const digest = createHash("sha256");
  const blobs = new BlobParts();
  let lines = 0;
  let end: string | null = null;
  for await (const raw of readLines(file)) {
    if (end !== null) throw new InvalidBundleError("there is more behind its end", raw.number);
    const value = jsonOf(raw);
    if (lines === 0) yield { is: "header", header: headerOf(value) };
    else {
      const line = parseLine(value, raw.number);
      if (line.record === "fact") {
        if (blobs.hasBegun) throw new InvalidBundleError("a fact stands behind a blob", raw.number);
        yield { is: "fact", fact: line, line: raw.number };
      } else if (line.record === "blob") {
        const bytes = blobs.take(line, raw.number);
        if (bytes !== null) yield { is: "blob", sha256: line.sha256, bytes, line: raw.number };
      } else {
        blobs.assertNoneOpen(raw.number);
        end = digest.digest("hex");
        if (line.lines !== lines || line.sha256 !== end)
          throw new InvalidBundleError("the lines before are not those that were written", raw.number);
      }
    }
    lines += 1;
    if (end === null) digest.update(raw.bytes).update("\n");
  }
  if (end === null) throw new InvalidBundleError("it is cut off: its last line is missing");
  yield { is: "end", sha256: end };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function jsonOf({ bytes, number }: RawLine): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch (error) {
    throw new InvalidBundleError(number === 1 ? "it is no bundle" : "not JSON in UTF-8", number, error);
  }
}

function headerOf(value: unknown): BundleHeader {
  const mark = bundleMark.safeParse(value);
  if (!mark.success) throw new InvalidBundleError("it is no bundle", 1);
  const { lemonBundle: version } = mark.data;
  if (version > BUNDLE_VERSION) throw new BundleNewerError(version, BUNDLE_VERSION);
  return parseHeader(value);
}

/** Puts the parts of blobs together, one blob at a time. */
class BlobParts {
  hasBegun = false;
  #last = "";
  #open: { readonly sha256: string; readonly sizeBytes: number; readonly parts: Buffer[] } | null = null;
  #filled = 0;

  /** The blob, when this is its last part. @throws InvalidBundleError */
  take({ sha256, sizeBytes, offset, base64 }: BlobLine, number: number): Buffer | null {
    this.hasBegun = true;
    if (this.#open === null) this.#begin(sha256, sizeBytes, number);
    const open = this.#open;
    if (open?.sha256 !== sha256 || open.sizeBytes !== sizeBytes || offset !== this.#filled)
      throw new InvalidBundleError("a part of a blob is missing", number);
    const bytes = Buffer.from(base64, "base64");
    if (bytes.toString("base64") !== base64) throw new InvalidBundleError("base64: not base64", number);
    this.#filled += bytes.length;
    if (this.#filled > sizeBytes || (bytes.length === 0 && sizeBytes > 0))
      throw new InvalidBundleError("a part of a blob has another size", number);
    open.parts.push(bytes);
    if (this.#filled < sizeBytes) return null;
    this.#open = null;
    const blob = Buffer.concat(open.parts);
    if (createHash("sha256").update(blob).digest("hex") !== sha256)
      throw new InvalidBundleError(`blob ${sha256} has other bytes`, number);
    return blob;
  }

  assertNoneOpen(number: number): void {
    if (this.#open !== null) throw new InvalidBundleError("a part of a blob is missing", number);
  }

  #begin(sha256: string, sizeBytes: number, number: number): void {
    if (sha256 <= this.#last) throw new InvalidBundleError("blobs are not in order", number);
    if (sizeBytes > MAX_BLOB_BYTES)
      throw new InvalidBundleError(`a blob has more than ${MAX_BLOB_BYTES} bytes`, number);
    this.#last = sha256;
    this.#open = { sha256, sizeBytes, parts: [] };
    this.#filled = 0;
  }
}
