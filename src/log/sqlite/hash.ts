/** The hash chain of a stream, for ever as docs/reference/log-format.md says. Vectors: test/fixtures/hash-vectors.json. */
import type * as Crypto from "node:crypto";
import type { Fact } from "../../events/index.ts";

let crypto: typeof Crypto | undefined;

/** What stands before the first fact of a stream. */
export const GENESIS = "0".repeat(64);

/** What of a fact is hashed beside its data. */
export type Envelope = Pick<
  Fact,
  "stream" | "version" | "type" | "schemaVersion" | "at" | "kind" | "actor" | "causation" | "correlation"
>;

/**
 * The hash of a fact, in lower-case hex.
 *
 * The data enters by its own hash, so data that is removed one day leaves a chain that still verifies. Everything is
 * text in one shot: three updates of a binary digest cost two and a half times as much.
 *
 * @param previous - hash of the stream's fact before, or `GENESIS`
 * @param text - the data's JSON text as it is stored
 */
export function factHash(previous: string, fact: Envelope, text: string): string {
  return factHashOf(previous, fact, sha256(text));
}

/**
 * The same, from the digest of the data's text.
 *
 * @param digest - its SHA-256 in lower-case hex
 */
export function factHashOf(previous: string, fact: Envelope, digest: string): string {
  const envelope = JSON.stringify([
    fact.stream,
    fact.version,
    fact.type,
    fact.schemaVersion,
    fact.at,
    fact.kind,
    fact.actor,
    fact.causation,
    fact.correlation,
  ]);
  return sha256(previous + envelope + digest);
}

/** The name of a blob. */
export function blobHash(bytes: Uint8Array): string {
  return sha256(bytes);
}

/** SHA-256 of bytes, or of a text's UTF-8 bytes, in lower-case hex. */
function sha256(content: string | Uint8Array): string {
  return loaded().hash("sha256", content);
}

/** The same over several contents, one after the other. For large ones, which it costs more to join than to hash. */
export function sha256OfAll(contents: readonly (string | Uint8Array)[]): string {
  const digest = loaded().createHash("sha256");
  for (const content of contents) digest.update(content);
  return digest.digest("hex");
}

/** Takes 6 ms to load, and who only looks at a log hashes nothing. */
function loaded(): typeof Crypto {
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto;
}
