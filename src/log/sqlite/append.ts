/** Appending: a fact is checked and made text when it is asked for, numbered, chained and inserted when it commits. */
import type { Statement } from "better-sqlite3";
import {
  assertJson,
  currentSchemaVersion,
  InvalidValueError,
  type Fact,
  type NewFact,
} from "../../events/index.ts";
import { VersionConflictError } from "../errors.ts";
import type { AppendOptions, Durability, ExpectedVersion, Lease, Snapshot, UnitOfWork } from "../port.ts";
import { assertName, assertText, assertWhole, refuse } from "./checks.ts";
import type { Connection } from "./connection.ts";
import { factHash, factHashOf } from "./hash.ts";
import type { Heads } from "./heads.ts";
import type { JobStep } from "./job-plan.ts";
import type { Jobs } from "./jobs.ts";
import type { Leases } from "./leases.ts";
import { digestIn, isDigest, redactedText } from "./redacted-text.ts";
import { assertSnapshot, type Snapshots } from "./snapshots.ts";
import type { Unit } from "./writer.ts";

/** Throws when data doesn't match the schema of its type. */
export type FactCheck = (type: string, schemaVersion: number, data: unknown) => void;

/** A fact that only waits for its numbers. */
type Draft = Omit<Fact, "position" | "stream" | "version" | "hash"> & {
  /** What is stored: the data's text, or what stands in its place. */
  readonly text: string;
};

interface StreamAppend {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  readonly drafts: readonly Draft[];
  readonly lease: Lease | undefined;
}

/** All that a unit does. */
interface Collected {
  readonly appends: readonly StreamAppend[];
  readonly jobs: readonly JobStep[];
  readonly snapshots: readonly Snapshot[];
}

/** What appending needs of the rest of the engine. */
export interface AppenderParts {
  readonly heads: Heads;
  readonly leases: Leases;
  readonly jobs: Jobs;
  readonly snapshots: Snapshots;
  readonly checkFact: FactCheck;
  readonly now: () => number;
}

/** A value of a row of `facts`, in the order of the table's columns. */
type Value = string | number | null;

const COLUMNS = 12;
/** Crossing into SQLite costs a fifth of inserting a row, so rows go in by eights. */
const MANY_ROWS = 8;

/** Makes the units that add facts. */
export class Appender {
  readonly #parts: AppenderParts;
  readonly #insertStream: Statement<[string]>;
  readonly #insertOne: Statement<Value[]>;
  readonly #insertMany: Statement<Value[]>;

  constructor({ db }: Connection, parts: AppenderParts) {
    this.#parts = parts;
    this.#insertStream = db.prepare("INSERT INTO streams (name) VALUES (?)");
    this.#insertOne = db.prepare(insertRows(1));
    this.#insertMany = db.prepare(insertRows(MANY_ROWS));
  }

  /**
   * @throws InvalidValueError, InvalidFactError or InvalidEnvelopeError naming type and field
   */
  unit(
    stream: string,
    expected: ExpectedVersion,
    facts: readonly NewFact[],
    options: AppendOptions,
  ): Unit<Fact[]> {
    const appends = [this.#streamAppend(stream, expected, facts, options)];
    return this.#unit({ appends, jobs: [], snapshots: [] }, options.durability);
  }

  /** @throws what `collect` throws, and the same errors as `unit` */
  unitOf(collect: (work: UnitOfWork) => void): Unit<Fact[]> {
    const appends: StreamAppend[] = [];
    const jobs: JobStep[] = [];
    const snapshots: Snapshot[] = [];
    let durability: Durability | undefined;
    collect({
      append: (stream, expected, facts, options = {}) => {
        appends.push(this.#streamAppend(stream, expected, facts, options));
        if (durability !== "strict") durability = options.durability ?? durability;
      },
      saveSnapshot: (snapshot) => {
        assertSnapshot(snapshot);
        snapshots.push(snapshot);
      },
      ...this.#parts.jobs.collector(jobs),
    });
    return this.#unit({ appends, jobs, snapshots }, durability);
  }

  #streamAppend(
    stream: string,
    expected: ExpectedVersion,
    facts: readonly NewFact[],
    options: AppendOptions,
  ): StreamAppend {
    assertName("append", "stream", stream);
    const now = this.#parts.now();
    const drafts = facts.map((fact) => draftOf(fact, now, this.#parts.checkFact));
    return { stream, expected, drafts, lease: options.fence };
  }

  #unit({ appends, jobs, snapshots }: Collected, durability: Durability | undefined): Unit<Fact[]> {
    let size = jobs.length;
    for (const { drafts } of appends) size += drafts.length;
    return {
      size,
      durability,
      check: () => {
        this.#parts.jobs.check(jobs);
        this.#check(appends);
      },
      write: (committed) => {
        const facts: Fact[] = [];
        const values: Value[] = [];
        for (const append of appends) this.#number(append, facts, values);
        this.#insert(values);
        this.#parts.jobs.write(jobs);
        for (const snapshot of snapshots) this.#parts.snapshots.save(snapshot);
        for (const fact of facts) committed.push(fact);
        return facts;
      },
    };
  }

  #check(appends: readonly StreamAppend[]): void {
    const { heads, leases } = this.#parts;
    // A unit may append to one stream several times; most have one append and need no memory of it.
    const planned = appends.length > 1 ? new Map<string, number>() : null;
    for (const { stream, expected, drafts, lease } of appends) {
      leases.assertMayAppend(stream, lease);
      const actual = planned?.get(stream) ?? heads.of(stream).version;
      if (expected !== "any" && (expected === "none" ? 0 : expected) !== actual) {
        throw new VersionConflictError(stream, expected, actual);
      }
      planned?.set(stream, actual + drafts.length);
    }
  }

  /** Numbers and chains the drafts: what they become goes to `facts`, what is to be inserted to `values`. */
  #number({ stream, drafts }: StreamAppend, facts: Fact[], values: Value[]): void {
    const { heads } = this.#parts;
    const head = heads.of(stream);
    if (head.id === 0 && drafts.length > 0) head.id = Number(this.#insertStream.run(stream).lastInsertRowid);
    for (const draft of drafts) {
      const { type, schemaVersion, at, kind, actor, causation, correlation, data, text, redacted } = draft;
      const position = heads.nextPosition();
      const version = head.version + 1;
      const envelope = { stream, version, type, schemaVersion, at, kind, actor, causation, correlation };
      const hash =
        redacted === undefined
          ? factHash(head.hash, envelope, text)
          : factHashOf(head.hash, envelope, redacted);
      head.version = version;
      head.hash = hash;
      values.push(
        position,
        head.id,
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
      );
      // Written out, here and in `draftOf`: objects made by spreading get a shape each, which costs more than the hash.
      const made: Fact = {
        position,
        stream,
        version,
        type,
        schemaVersion,
        at,
        actor,
        causation,
        correlation,
        kind,
        data,
        hash,
      };
      facts.push(redacted === undefined ? made : { ...made, redacted });
    }
  }

  #insert(values: readonly Value[]): void {
    const many = MANY_ROWS * COLUMNS;
    let from = 0;
    for (; from + many <= values.length; from += many)
      this.#insertMany.run(...values.slice(from, from + many));
    for (; from < values.length; from += COLUMNS) this.#insertOne.run(...values.slice(from, from + COLUMNS));
  }
}

function insertRows(count: number): string {
  const row = `(${Array.from({ length: COLUMNS }, () => "?").join(", ")})`;
  return `INSERT INTO facts VALUES ${Array.from({ length: count }, () => row).join(", ")}`;
}

function draftOf(fact: NewFact, now: number, checkFact: FactCheck): Draft {
  const { type, kind, actor, causation, correlation, at = now } = fact;
  const schemaVersion = fact.schemaVersion ?? currentSchemaVersion(type);
  assertName("fact", "type", type);
  assertName(type, "actor", actor);
  if (correlation !== null) assertName(type, "correlation", correlation);
  if (kind !== "input" && kind !== "decision") refuse(type, "kind", "input or decision", kind);
  if (causation !== null) assertWhole(type, "causation", causation, 1);
  assertWhole(type, "schemaVersion", schemaVersion, 1);
  assertWhole(type, "at", at, Number.MIN_SAFE_INTEGER);
  let { data, text } = fact;
  if (fact.redacted !== undefined) {
    const { redacted } = fact;
    if (!isDigest(redacted)) refuse(type, "redacted", "64 lower-case hexadecimal digits", redacted);
    if (data !== null || text !== undefined) refuse(type, "data", "null, as it was left out", "data");
    text = redactedText(redacted);
    return { type, schemaVersion, at, actor, causation, correlation, kind, data, text, redacted };
  }
  if (text === undefined) {
    assertData(type, data);
    checkFact(type, schemaVersion, data);
    text = JSON.stringify(data);
    // Parsed again, so that the fact is what will be read, whatever the caller does to the object afterwards.
    data = JSON.parse(text) as unknown;
  }
  assertText(type, "data", text);
  // Else it would be read as the digest of data that was left out.
  if (digestIn(text) !== undefined) refuse(type, "data", "JSON text", text);
  return { type, schemaVersion, at, actor, causation, correlation, kind, data, text };
}

function assertData(type: string, data: unknown): void {
  try {
    assertJson(data, "data");
  } catch (error) {
    if (error instanceof InvalidValueError) error.message = `${type}: ${error.message}`;
    throw error;
  }
}
