/** From a bundle to a log: all of it, or nothing. */
import type { NewFact } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { CheckedBundle } from "./check.ts";
import { BundleConflictError, InvalidBundleError } from "./errors.ts";
import type { FactLine } from "./format.ts";
import { readBundle } from "./read.ts";

/** What an import did. */
export interface ImportedBundle {
  readonly sessionId: string;
  readonly isRedacted: boolean;
  /** Version of the lemon-runtime that wrote the bundle. */
  readonly writtenBy: string;
  /** How many facts of each stream were added; 0 where the log had them all. */
  readonly streams: readonly { readonly stream: string; readonly facts: number; readonly added: number }[];
  /** Facts that were added, over all streams. 0: the session was there already. */
  readonly added: number;
  readonly blobs: number;
}

/**
 * Adds the facts and blobs of a bundle to a log. What the log has already is left as it is; a stream of which it has the
 * first facts gets the rest.
 *
 * @throws BundleConflictError, SessionBusyError, and InvalidBundleError when the file was changed since it was checked
 */
export async function appendBundle(log: EventLog, bundle: CheckedBundle): Promise<ImportedBundle> {
  const there = new Map<string, number>();
  for (const { stream } of bundle.header.streams)
    there.set(stream, await commonVersion(log, stream, bundle.hashes.get(stream) ?? []));
  // With all its facts there, its blobs are not wanted either: a log may have the session without its data.
  const isThere = bundle.header.streams.every(
    ({ stream, facts: count }) => (there.get(stream) ?? 0) >= count,
  );
  const { facts, blobs } = isThere ? { facts: [], blobs: 0 } : await missing(log, bundle, there);
  if (facts.length > 0) {
    const next = new Map(there);
    await log.commit((work) => {
      for (const run of runsOf(facts)) {
        const { stream } = run[0] as FactLine;
        const expected = next.get(stream) ?? 0;
        work.append(stream, expected, run.map(newFactOf));
        next.set(stream, expected + run.length);
      }
    });
  }
  const { sessionId, isRedacted, writtenBy, streams } = bundle.header;
  return {
    sessionId,
    isRedacted,
    writtenBy,
    streams: streams.map((part) => ({
      ...part,
      added: Math.max(0, part.facts - (there.get(part.stream) ?? 0)),
    })),
    added: facts.length,
    blobs,
  };
}

/** How many facts of the stream the log has. @throws BundleConflictError when they are others than those of the bundle */
async function commonVersion(log: EventLog, stream: string, hashes: readonly string[]): Promise<number> {
  const found = (await log.streams(stream)).find((candidate) => candidate.stream === stream);
  if (found === undefined) return 0;
  const common = Math.min(found.version, hashes.length);
  for await (const page of log.readStored(stream, { from: common, to: common }))
    for (const { hash } of page)
      if (hash !== hashes[common - 1]) throw new BundleConflictError(stream, common);
  return found.version;
}

/** The facts that the log lacks, and the blobs, which are stored: who has their facts has need of them, and nobody else sees them. */
async function missing(
  log: EventLog,
  { file, sha256 }: CheckedBundle,
  there: ReadonlyMap<string, number>,
): Promise<{ readonly facts: readonly FactLine[]; readonly blobs: number }> {
  const facts: FactLine[] = [];
  let blobs = 0;
  for await (const record of readBundle(file)) {
    if (record.is === "fact") {
      if (record.fact.version > (there.get(record.fact.stream) ?? 0)) facts.push(record.fact);
    } else if (record.is === "blob") {
      if (await log.hasBlob(record.sha256)) continue;
      await log.putBlob(record.bytes);
      blobs += 1;
    } else if (record.is === "end" && record.sha256 !== sha256)
      throw new InvalidBundleError("it was changed while it was read");
  }
  return { facts, blobs };
}

/** Facts of one stream that follow one another: the order of all is kept, and an append has as many as it can. */
function* runsOf(facts: readonly FactLine[]): Generator<readonly FactLine[]> {
  let from = 0;
  for (let at = 1; at <= facts.length; at += 1) {
    if (facts[at]?.stream === facts[from]?.stream && at < facts.length) continue;
    yield facts.slice(from, at);
    from = at;
  }
}

function newFactOf(line: FactLine): NewFact {
  const { type, schemaVersion, at, kind, actor, causation, correlation, text, sha256 } = line;
  const envelope = { type, schemaVersion, at, kind, actor, causation, correlation };
  if (text === undefined || sha256 !== undefined) return { ...envelope, data: null, redacted: sha256 ?? "" };
  return { ...envelope, data: JSON.parse(text) as unknown, text };
}
