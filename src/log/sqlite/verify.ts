/** Holding a log against what it promises. docs/reference/log-format.md lists what each check can and can't find. */
import { LogCorruptError } from "../errors.ts";
import type { Finding, Snapshot } from "../port.ts";
import type { Connection } from "./connection.ts";
import { typedFault } from "./faults.ts";
import { blobHash, factHash, factHashOf, GENESIS } from "./hash.ts";
import { headFileOf, readHead, UNREADABLE } from "./head.ts";
import { FACTS } from "./reader.ts";
import { digestIn } from "./redacted-text.ts";
import type { Row } from "./rows.ts";
import { digestOf } from "./snapshots.ts";

/** Facts that are checked before the event loop gets its turn. */
const PAGE_FACTS = 256;

type Head = ReturnType<typeof readHead>;

/** Where a stream ended, as far as it was walked. */
interface Walked {
  version: number;
  hash: string;
}

/**
 * Yields what is wrong, the first bad position first; nothing for a sound log.
 *
 * @param only - look at the facts of this stream alone, and neither at blobs nor at the file as a whole
 */
export async function* verify(connection: Connection, only: string | undefined): AsyncGenerator<Finding> {
  const head = connection.location === ":memory:" ? null : readHead(headFileOf(connection.location));
  yield* checkFacts(connection, only);
  yield* checkHead(connection, only, head);
  if (only !== undefined) return;
  yield* checkBlobs(connection);
  yield* checkSnapshots(connection);
  yield* checkFile(connection);
}

/** The structure of the database. It does not see a changed byte inside a row: the hash chain does. */
function* checkFile({ db, location }: Connection): Generator<Finding> {
  const integrity = db.prepare<[], string>("PRAGMA integrity_check(20)").pluck();
  try {
    for (const message of integrity.all()) {
      if (message !== "ok") yield error("damaged_file", `${location}: ${message}`);
    }
  } catch (fault) {
    yield { ...damage(fault, location, null), code: "damaged_file" };
  }
}

async function* checkFacts(connection: Connection, only: string | undefined): AsyncGenerator<Finding> {
  const { location } = connection;
  const pageAfter = pages(connection, only);
  const walked = new Map<string, Walked>();
  let last: Row | null = null;
  for (;;) {
    const findings: Finding[] = [];
    let count = 0;
    try {
      for (const row of pageAfter(last)) {
        if (only === undefined) findings.push(...checkPosition(row, last));
        findings.push(...checkFact(row, walked));
        last = row;
        count += 1;
      }
    } catch (fault) {
      yield* findings;
      yield damage(fault, location, only === undefined ? positionOf(last) + 1 : null);
      return; // what lies behind a page that can't be read is not reached from here
    }
    yield* findings;
    if (count < PAGE_FACTS) return;
    await nextTurn();
  }
}

/** Rows behind a row: of the whole log by position, of one stream by version. */
function pages({ db }: Connection, only: string | undefined): (last: Row | null) => Iterable<Row> {
  // LEFT JOIN: a fact whose stream is lost must not escape the walk.
  const facts = FACTS.replace("CROSS JOIN", "LEFT JOIN");
  if (only === undefined) {
    const all = db
      .prepare<[number], Row>(`${facts} WHERE position > ? ORDER BY position LIMIT ${PAGE_FACTS}`)
      .raw();
    return (last) => all.iterate(positionOf(last));
  }
  const ofStream = db
    .prepare<[string, number], Row>(
      `${facts} WHERE facts.stream = (SELECT id FROM streams WHERE name = ?) AND version > ?
       ORDER BY version LIMIT ${PAGE_FACTS}`,
    )
    .raw();
  return (last) => ofStream.iterate(only, last?.[2] ?? 0);
}

function checkPosition(row: Row, last: Row | null): Finding[] {
  const expected = positionOf(last) + 1;
  if (row[0] === expected) return [];
  return [error("position_gap", `position ${row[0]} follows ${expected - 1}`, { position: expected })];
}

function checkFact(row: Row, walked: Map<string, Walked>): Finding[] {
  const [
    position,
    stream,
    version,
    type,
    schemaVersion,
    at,
    kind,
    actor,
    causation,
    correlation,
    text,
    hash,
  ] = row;
  const place = { stream, version, position };
  const findings: Finding[] = [];
  const before = walked.get(stream) ?? { version: 0, hash: GENESIS };
  if (version !== before.version + 1) {
    findings.push(error("version_gap", `${stream}: version ${version} follows ${before.version}`, place));
  }
  const envelope = { stream, version, type, schemaVersion, at, kind, actor, causation, correlation };
  const redacted = digestIn(text);
  const found =
    redacted === undefined
      ? factHash(before.hash, envelope, text)
      : factHashOf(before.hash, envelope, redacted);
  if (found !== hash) {
    findings.push(error("hash_mismatch", `${stream} version ${version} is not what was written`, place));
  }
  // The walk goes on from the stored hash, so one changed fact is one finding.
  walked.set(stream, { version, hash });
  return findings;
}

/** The head file is a lower bound: the log must reach it, and hold that fact there. */
function* checkHead({ db, location }: Connection, only: string | undefined, head: Head): Generator<Finding> {
  if (head === null) return;
  const file = headFileOf(location);
  if (head === UNREADABLE) {
    yield {
      ...error("head_unreadable", `${file} can't be read: nothing tells whether facts were cut off`),
      level: "warning",
    };
    return;
  }
  if (only !== undefined && head.stream !== only) return;
  try {
    const hash = db
      .prepare<[number], string>("SELECT hash FROM facts WHERE position = ?")
      .pluck()
      .get(head.position);
    if (hash === head.hash) return;
    const { stream, version, position } = head;
    if (hash !== undefined) {
      const message = `${file} names another fact at position ${position}: facts were cut off and others added since`;
      yield error("head_mismatch", message, { stream, version, position });
      return;
    }
    const last = db.prepare<[], number>("SELECT ifnull(max(position), 0) FROM facts").pluck().get() ?? 0;
    const message = `facts ${last + 1} to ${position} at least were cut off: ${file} names ${stream} version ${version}`;
    yield error("facts_cut_off", message, { stream, version, position: last + 1 });
  } catch (fault) {
    yield damage(fault, location, null);
  }
}

interface Blob {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

function checkBlobs(connection: Connection): AsyncGenerator<Finding> {
  const next = "SELECT sha256, bytes FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT 1";
  const check = ({ sha256, bytes }: Blob): Finding | null =>
    blobHash(bytes) === sha256 ? null : error("blob_mismatch", `blob ${sha256} has other bytes`);
  return checkRows(connection, next, (last?: Blob) => [last?.sha256 ?? ""], check);
}

type StoredSnapshot = Snapshot & Pick<Blob, "sha256">;

/** A stored state whose bytes changed is never used again, so it is worth a warning and no more. */
function checkSnapshots(connection: Connection): AsyncGenerator<Finding> {
  const next = `SELECT stream, name, version, writer, text, sha256 FROM snapshots
    WHERE (stream, name) > (?, ?) ORDER BY stream, name LIMIT 1`;
  const check = (row: StoredSnapshot): Finding | null => {
    if (digestOf(row, row.text) === row.sha256) return null;
    const message = `the stored state ${row.name} of ${row.stream} has other bytes; it is not used any more`;
    return { ...error("snapshot_mismatch", message, { stream: row.stream }), level: "warning" };
  };
  const keyOf = (last?: StoredSnapshot): string[] => [last?.stream ?? "", last?.name ?? ""];
  return checkRows(connection, next, keyOf, check);
}

/**
 * Looks at each row of a table, one a turn of the event loop: a row may be large.
 *
 * @param select - the row behind a key
 */
async function* checkRows<Row>(
  { db, location }: Connection,
  select: string,
  keyOf: (row?: Row) => string[],
  check: (row: Row) => Finding | null,
): AsyncGenerator<Finding> {
  const next = db.prepare<string[], Row>(select);
  let last: Row | undefined;
  for (;;) {
    try {
      const row = next.get(...keyOf(last));
      if (row === undefined) return;
      last = row;
      const finding = check(row);
      if (finding !== null) yield finding;
    } catch (fault) {
      yield damage(fault, location, null);
      return;
    }
    await nextTurn();
  }
}

/** A page that SQLite can't read is a finding; that the log was closed meanwhile is not. */
function damage(fault: unknown, location: string, position: number | null): Finding {
  const typed = typedFault(fault, location, position);
  if (!(typed instanceof LogCorruptError)) throw typed;
  return error("unreadable", typed.message, { position });
}

type Place = Partial<Pick<Finding, "stream" | "version" | "position">>;

function error(code: string, message: string, place: Place = {}): Finding {
  return { level: "error", code, stream: null, version: null, position: null, ...place, message };
}

function positionOf(row: Row | null): number {
  return row?.[0] ?? 0;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
