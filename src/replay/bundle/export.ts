/** From a log to a bundle. */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { EventLog, StoredFact } from "../../log/index.ts";
import { requireSession } from "../session-list.ts";
import { contentsOf, type Contents } from "./contents.ts";
import { BundleTooLargeError } from "./errors.ts";
import {
  BLOB_PART_BYTES,
  BUNDLE_VERSION,
  factLine,
  MAX_LINE_BYTES,
  type BlobLine,
  type BundleHeader,
} from "./format.ts";
import { writeBundleFile } from "./write-file.ts";

/** How a bundle is made. */
export interface ExportOptions {
  /** Leave out the data of all facts, and all blobs. Default false. */
  readonly redact?: boolean;
}

/** What a bundle was made of. */
export interface ExportedBundle {
  readonly file: string;
  readonly sessionId: string;
  readonly isRedacted: boolean;
  readonly streams: BundleHeader["streams"];
  readonly facts: number;
  readonly blobs: number;
}

/**
 * Writes a session, and what it depends on, to one file that `importBundle` reads. The session may be at work: what it
 * has when this begins is written. docs/reference/bundles.md
 *
 * @throws SessionNotFoundError, BundleFileError
 */
export async function exportBundle(
  log: EventLog,
  sessionId: string,
  file: string,
  { redact = false }: ExportOptions = {},
): Promise<ExportedBundle> {
  const found = await requireSession(log, sessionId);
  const contents = await contentsOf(log, found.sessionId);
  const streams = [...contents.streams]
    .filter(([stream, { withData }]) => !redact || withData === null || stream.startsWith("session-"))
    .map(([stream, { facts }]) => ({ stream, facts }));
  const blobs = redact ? [] : contents.blobs;
  const header: BundleHeader = {
    lemonBundle: BUNDLE_VERSION,
    sessionId,
    isRedacted: redact,
    writtenBy: ownVersion(),
    extensions: contents.extensions,
    streams,
    blobs: blobs.length,
  };
  await writeBundleFile(file, linesOf(log, header, contents, blobs));
  const facts = streams.reduce((sum, stream) => sum + stream.facts, 0);
  return { file, sessionId, isRedacted: redact, streams, facts, blobs: blobs.length };
}

async function* linesOf(
  log: EventLog,
  header: BundleHeader,
  contents: Contents,
  blobs: readonly string[],
): AsyncGenerator<unknown> {
  yield header;
  for await (const fact of inLogOrder(log, header.streams)) {
    const withData = contents.streams.get(fact.stream)?.withData ?? null;
    const isLeftOut = header.isRedacted || (withData !== null && !withData.has(fact.version));
    if (!isLeftOut && fact.text.length * 2 > MAX_LINE_BYTES) assertFits(fact);
    yield factLine(fact, fact.redacted ?? (isLeftOut ? digestOf(fact.text) : undefined));
  }
  for (const sha256 of blobs) yield* blobLines(sha256, await log.getBlob(sha256));
}

/** The facts of all streams as they follow one another in the log: what was before what is kept. */
async function* inLogOrder(log: EventLog, streams: BundleHeader["streams"]): AsyncGenerator<StoredFact> {
  const readers = streams.map(({ stream, facts }) => factsOf(log, stream, facts)[Symbol.asyncIterator]());
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  for (;;) {
    let first = -1;
    let position = Number.POSITIVE_INFINITY;
    for (const [index, head] of heads.entries()) {
      if (head.done === true || head.value.position >= position) continue;
      first = index;
      position = head.value.position;
    }
    const reader = readers[first];
    const head = heads[first];
    if (reader === undefined || head === undefined || head.done === true) return;
    yield head.value;
    heads[first] = await reader.next();
  }
}

async function* factsOf(log: EventLog, stream: string, to: number): AsyncGenerator<StoredFact> {
  for await (const page of log.readStored(stream, { to })) for (const fact of page) yield fact;
}

function* blobLines(sha256: string, bytes: Uint8Array): Generator<BlobLine> {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sizeBytes = content.length;
  let offset = 0;
  do {
    const base64 = content.toString("base64", offset, Math.min(offset + BLOB_PART_BYTES, sizeBytes));
    yield { record: "blob", sha256, sizeBytes, offset, base64 };
    offset += BLOB_PART_BYTES;
  } while (offset < sizeBytes);
}

function assertFits({ stream, version, text }: StoredFact): void {
  if (Buffer.byteLength(JSON.stringify(text)) < MAX_LINE_BYTES - 4_096) return;
  throw new BundleTooLargeError(stream, version);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function ownVersion(): string {
  // By its own name: how deep this module lies below it is the build's affair.
  const manifest = createRequire(import.meta.url)("lemon-runtime/package.json") as {
    readonly version: string;
  };
  return manifest.version;
}
