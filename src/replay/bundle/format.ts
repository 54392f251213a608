/** The lines of a bundle, for ever as docs/reference/bundles.md says. */
import type { FactKind } from "../../events/index.ts";
import type { StoredFact } from "../../log/index.ts";

/** Of the lines and their members. */
export const BUNDLE_VERSION = 1;

/** Of a line, its end not counted. What a fact may hold is far below it, but for files that a model read as images. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Of the unpacked file: a small file may unpack to any size. */
export const MAX_BUNDLE_BYTES = 4 * 1024 ** 3;
/** Of the texts of all facts, which are in memory when they are appended. */
export const MAX_FACT_CHARS = 1024 ** 3;
/** A blob stands in as many lines as it takes. */
export const BLOB_PART_BYTES = 768 * 1024;

/** The first line. */
export interface BundleHeader {
  readonly lemonBundle: number;
  readonly sessionId: string;
  /** No fact of it has data, and there are no blobs. */
  readonly isRedacted: boolean;
  /** Version of the lemon-runtime that wrote it. */
  readonly writtenBy: string;
  /** SHA-256 of the code of each extension whose hooks the facts tell of, in order. */
  readonly extensions: readonly string[];
  /** How many facts of each stream there are: its first ones. */
  readonly streams: readonly { readonly stream: string; readonly facts: number }[];
  readonly blobs: number;
}

/** A fact: what the log holds of it but its position, with its text, or the digest of that. */
export interface FactLine {
  readonly record: "fact";
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly at: number;
  readonly kind: FactKind;
  readonly actor: string;
  readonly causation: number | null;
  readonly correlation: string | null;
  readonly hash: string;
  readonly text?: string | undefined;
  readonly sha256?: string | undefined;
}

/** Bytes of a blob, in base64. */
export interface BlobLine {
  readonly record: "blob";
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Where in the blob they begin. */
  readonly offset: number;
  readonly base64: string;
}

/** The last line: the bytes before it, all ends of lines included, have this digest. */
export interface EndLine {
  readonly record: "end";
  readonly lines: number;
  readonly sha256: string;
}

/** Any line after the first. */
export type BundleLine = FactLine | BlobLine | EndLine;

/** The line of a fact. @param digest - SHA-256 of its text, when that is left out */
export function factLine(fact: StoredFact, digest: string | undefined): FactLine {
  const { stream, version, type, schemaVersion, at, kind, actor, causation, correlation, hash, text } = fact;
  const envelope = { stream, version, type, schemaVersion, at, kind, actor, causation, correlation, hash };
  return { record: "fact", ...envelope, ...(digest === undefined ? { text } : { sha256: digest }) };
}
