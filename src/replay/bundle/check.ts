/** Whether a bundle is what it says: every hash, every shape, every count. Needs no log, and changes nothing. */
import { createHash } from "node:crypto";
import { messageOf } from "../../errors.ts";
import {
  assertJson,
  loadSchemas,
  SchemaNewerError,
  upcast,
  type Fact,
  type FactOf,
} from "../../events/index.ts";
import { factHashOf, GENESIS } from "../../log/index.ts";
import { blobsOf } from "./contents.ts";
import { InvalidBundleError } from "./errors.ts";
import { MAX_FACT_CHARS, type BundleHeader, type FactLine } from "./format.ts";
import { readBundle } from "./read.ts";

/** A bundle that was found sound. */
export interface CheckedBundle {
  readonly file: string;
  readonly header: BundleHeader;
  /** Of its lines: a file that is read again must have it still. */
  readonly sha256: string;
  /** The hash of each fact, by stream; that of version 1 first. */
  readonly hashes: ReadonlyMap<string, readonly string[]>;
  readonly facts: number;
}

/**
 * Reads a bundle and checks all of it.
 *
 * @throws NotFoundError when there is no such file
 * @throws InvalidBundleError, BundleNewerError, SchemaNewerError
 */
export async function checkBundle(file: string): Promise<CheckedBundle> {
  const { checkFact } = await loadSchemas();
  let check: Check | null = null;
  let sha256 = "";
  for await (const record of readBundle(file)) {
    if (record.is === "header") check = new Check(record.header, checkFact);
    else if (record.is === "fact") check?.fact(record.fact, record.line);
    else if (record.is === "blob") check?.blob(record.sha256, record.line);
    else ({ sha256 } = record);
  }
  if (check === null) throw new InvalidBundleError("it is empty");
  check.end();
  const { header, hashes, facts } = check;
  return { file, header, sha256, hashes, facts };
}

type FactCheck = (type: string, schemaVersion: number, data: unknown) => void;

class Check {
  readonly header: BundleHeader;
  readonly hashes = new Map<string, string[]>();
  facts = 0;
  readonly #checkFact: FactCheck;
  readonly #blobs = new Set<string>();
  #foundBlobs = 0;
  #chars = 0;
  #hasBeginning = false;

  constructor(header: BundleHeader, checkFact: FactCheck) {
    this.header = header;
    this.#checkFact = checkFact;
    for (const { stream } of header.streams) {
      if (this.hashes.has(stream)) throw new InvalidBundleError(`streams: ${stream} is there twice`, 1);
      this.hashes.set(stream, []);
    }
    if (!this.hashes.has(`session-${header.sessionId}`))
      throw new InvalidBundleError("streams: that of the session is missing", 1);
  }

  /** @throws InvalidBundleError, SchemaNewerError */
  fact(fact: FactLine, line: number): void {
    const { stream, version, text, sha256 } = fact;
    const hashes = this.hashes.get(stream);
    if (hashes === undefined) throw new InvalidBundleError(`${stream} is not in its header`, line);
    if (version !== hashes.length + 1)
      throw new InvalidBundleError(`${stream}: version ${version} follows ${hashes.length}`, line);
    if ((text === undefined) === (sha256 === undefined))
      throw new InvalidBundleError("a fact has either its text or the digest of it", line);
    if (text !== undefined && this.header.isRedacted)
      throw new InvalidBundleError("it says that it is redacted, and a fact has data", line);
    const digest =
      sha256 ??
      createHash("sha256")
        .update(text ?? "")
        .digest("hex");
    if (factHashOf(hashes.at(-1) ?? GENESIS, fact, digest) !== fact.hash)
      throw new InvalidBundleError(`${stream} version ${version} is not what was written`, line);
    hashes.push(fact.hash);
    this.facts += 1;
    this.#chars += text?.length ?? 0;
    if (this.#chars > MAX_FACT_CHARS)
      throw new InvalidBundleError(`its facts have more than ${MAX_FACT_CHARS} characters`, line);
    this.#judge(fact, line);
  }

  /** @throws InvalidBundleError */
  blob(sha256: string, line: number): void {
    if (!this.#blobs.has(sha256)) throw new InvalidBundleError(`no fact names blob ${sha256}`, line);
    this.#foundBlobs += 1;
  }

  /** @throws InvalidBundleError */
  end(): void {
    const { streams, blobs } = this.header;
    for (const { stream, facts } of streams) {
      const found = this.hashes.get(stream)?.length ?? 0;
      if (found !== facts)
        throw new InvalidBundleError(`${stream} has ${found} facts, and ${facts} by its header`);
    }
    if (this.#foundBlobs !== blobs)
      throw new InvalidBundleError(`it has ${this.#foundBlobs} blobs, and ${blobs} by its header`);
    if (!this.#hasBeginning) throw new InvalidBundleError("its session never began");
  }

  /** What it says must be what its type may say: whoever made a chain can chain anything. */
  #judge(line: FactLine, number: number): void {
    const isOwn = line.stream === `session-${this.header.sessionId}`;
    if (isOwn && (line.type === "session.started" || line.type === "session.forked"))
      this.#hasBeginning = true;
    const { text, sha256 } = line;
    try {
      const data: unknown = text === undefined ? null : JSON.parse(text);
      assertJson(data, "data");
      const { record: _record, text: _text, sha256: _sha256, ...envelope } = line;
      const bare: Fact = { ...envelope, position: 0, data };
      const fact = upcast(sha256 === undefined ? bare : { ...bare, redacted: sha256 });
      if (fact.redacted !== undefined) return;
      this.#checkFact(fact.type, fact.schemaVersion, fact.data);
      assertOwnId(fact);
      for (const blob of blobsOf(fact)) this.#blobs.add(blob);
    } catch (error) {
      if (error instanceof SchemaNewerError) throw error;
      throw new InvalidBundleError(messageOf(error), number, error);
    }
  }
}

function assertOwnId(fact: Fact): void {
  const { type, data, stream } = fact as FactOf<"session.started" | "session.forked">;
  if (type !== "session.started" && type !== "session.forked") return;
  if (stream !== `session-${data.sessionId}`) throw new Error("data.sessionId: not that of its stream");
}
