/** The SQLite engine of the EventLog port: puts its parts together, each of which has one job. */
import { statSync } from "node:fs";
import type { Observable } from "rxjs";
import type { Fact, NewFact } from "../../events/index.ts";
import { LogClosedError } from "../errors.ts";
import type {
  AppendOptions,
  Cursor,
  Durability,
  EventLog,
  ExpectedVersion,
  Finding,
  FollowOptions,
  Job,
  Lease,
  LogInfo,
  ReadAllOptions,
  ReadOptions,
  Snapshot,
  StoredFact,
  UnitOfWork,
} from "../port.ts";
import { Appender, type FactCheck } from "./append.ts";
import { backup } from "./backup.ts";
import { Blobs } from "./blobs.ts";
import { guarded, type Connection } from "./connection.ts";
import { Followers } from "./follow.ts";
import { HeadFile, type LogHead } from "./head.ts";
import { Heads } from "./heads.ts";
import { Jobs } from "./jobs.ts";
import { Leases } from "./leases.ts";
import { cursorAt, Reader } from "./reader.ts";
import { formatOf } from "./schema.ts";
import { Snapshots } from "./snapshots.ts";
import { verify } from "./verify.ts";
import { Writer, type Unit } from "./writer.ts";

/** What the engine is told. */
export interface EngineOptions {
  readonly durability: Durability;
  readonly now: () => number;
  readonly checkFact: FactCheck;
  /** What the user should know and nothing failed for. */
  readonly onWarning: (message: string) => void;
}

/** A log in one SQLite database. */
export class SqliteEventLog implements EventLog {
  readonly #connection: Connection;
  readonly #durability: Durability;
  readonly #writer: Writer;
  readonly #appender: Appender;
  readonly #leases: Leases;
  readonly #jobs: Jobs;
  readonly #reader: Reader;
  readonly #followers: Followers;
  readonly #blobs: Blobs;
  readonly #snapshots: Snapshots;
  readonly #headFile: HeadFile | null;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, { durability, now, checkFact, onWarning }: EngineOptions) {
    this.#connection = connection;
    this.#durability = durability;
    const heads = new Heads(connection);
    this.#leases = new Leases(connection, heads, now);
    this.#jobs = new Jobs(connection, this.#leases, heads);
    this.#snapshots = new Snapshots(connection);
    this.#blobs = new Blobs(connection);
    this.#reader = new Reader(connection);
    this.#followers = new Followers(connection, this.#reader);
    this.#headFile = connection.location === ":memory:" ? null : new HeadFile(connection, onWarning);
    this.#headFile?.check();
    const { leases, jobs, snapshots } = {
      leases: this.#leases,
      jobs: this.#jobs,
      snapshots: this.#snapshots,
    };
    this.#appender = new Appender(connection, { heads, leases, jobs, snapshots, checkFact, now });
    this.#writer = new Writer(connection, {
      durability,
      memories: [heads, leases],
      onCommit: (facts) => {
        this.#committed(facts);
      },
    });
  }

  append(
    stream: string,
    expected: ExpectedVersion,
    facts: readonly NewFact[],
    options: AppendOptions = {},
  ): Promise<Fact[]> {
    return this.#submit(() => this.#appender.unit(stream, expected, facts, options));
  }

  commit(unit: (work: UnitOfWork) => void): Promise<Fact[]> {
    return this.#submit(() => this.#appender.unitOf(unit));
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncGenerator<Fact> {
    this.#assertOpen();
    // Not delegated with `yield*`, which makes each fact wait for several promises more.
    for await (const page of this.#reader.pages(stream, options)) for (const fact of page) yield fact;
  }

  async *readStored(stream: string, options: ReadOptions = {}): AsyncGenerator<readonly StoredFact[]> {
    this.#assertOpen();
    yield* this.#reader.readStored(stream, options);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<Fact> {
    this.#assertOpen();
    yield* this.#reader.readAll(options);
  }

  follow(options: FollowOptions = {}): Observable<Fact> {
    return this.#followers.follow(options);
  }

  cursorOf(fact: Fact): Cursor {
    return cursorAt(fact.position);
  }

  async streams(prefix = ""): Promise<{ stream: string; version: number }[]> {
    return this.#read(() =>
      this.#connection.db
        .prepare<[string, string], { stream: string; version: number }>(
          `SELECT name AS stream, (SELECT max(version) FROM facts WHERE facts.stream = streams.id) AS version
           FROM streams WHERE substr(name, 1, length(?)) = ? ORDER BY id`,
        )
        .all(prefix, prefix),
    );
  }

  putBlob(bytes: Uint8Array): Promise<string> {
    return this.#submit(() => this.#blobs.put(bytes));
  }

  async getBlob(sha256: string): Promise<Uint8Array> {
    return this.#read(() => this.#blobs.get(sha256));
  }

  async hasBlob(sha256: string): Promise<boolean> {
    return this.#read(() => this.#blobs.has(sha256));
  }

  async loadSnapshots(...[stream, choose]: Parameters<EventLog["loadSnapshots"]>): Promise<Snapshot[]> {
    return this.#read(() => this.#snapshots.of(stream, choose));
  }

  async jobs(queue: string): Promise<readonly Job[]> {
    return this.#read(() => this.#jobs.list(queue));
  }

  async holderOf(key: string): ReturnType<EventLog["holderOf"]> {
    return this.#read(() => this.#leases.holderOf(key));
  }

  acquire(key: string, owner: string, ttlMs: number): Promise<Lease> {
    return this.#submit(() => this.#leases.acquire(key, owner, ttlMs));
  }

  renew(lease: Lease): Promise<Lease> {
    return this.#submit(() => this.#leases.renew(lease));
  }

  release(lease: Lease): Promise<void> {
    return this.#submit(() => this.#leases.release(lease));
  }

  claim(stream: string, lease: Lease): Promise<number> {
    return this.#submit(() => this.#leases.claim(stream, lease));
  }

  unclaim(stream: string, lease: Lease): Promise<void> {
    return this.#submit(() => this.#leases.unclaim(stream, lease));
  }

  async leaderOf(stream: string): ReturnType<EventLog["leaderOf"]> {
    return this.#read(() => this.#leases.leaderNow(stream));
  }

  async *verify(stream?: string): AsyncGenerator<Finding> {
    this.#assertOpen();
    yield* verify(this.#connection, stream);
  }

  async backup(file: string): Promise<void> {
    this.#assertOpen();
    return backup(this.#connection, file);
  }

  async info(): Promise<LogInfo> {
    return this.#read(() => {
      const { db, location } = this.#connection;
      const last = db
        .prepare<[], LogHead>(
          `SELECT position, name AS stream, version, hash FROM facts JOIN streams ON streams.id = facts.stream
           ORDER BY position DESC LIMIT 1`,
        )
        .get();
      return {
        engine: "sqlite",
        location,
        formatVersion: formatOf(db).version,
        facts: last?.position ?? 0,
        streams: db.prepare<[], number>("SELECT count(*) FROM streams").pluck().get() ?? 0,
        bytes: sizeBytes(this.#connection),
        durability: this.#durability,
        head: last ?? null,
      };
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What was asked for before is still written. */
  async #close(): Promise<void> {
    await this.#writer.drained();
    this.#followers.close();
    this.#headFile?.write();
    guarded(this.#connection, () => this.#connection.db.close());
  }

  #committed(facts: readonly Fact[]): void {
    const last = facts.at(-1);
    if (last !== undefined) this.#headFile?.committed(last);
    this.#followers.committed(facts);
  }

  #submit<Result>(make: () => Unit<Result>): Promise<Result> {
    return this.#writer.submit(() => {
      this.#assertOpen();
      return make();
    });
  }

  #read<Result>(work: () => Result): Result {
    this.#assertOpen();
    return guarded(this.#connection, work);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new LogClosedError(this.#connection.location);
  }
}

/** Of the file and its write-ahead log. */
function sizeBytes({ db, location }: Connection): number {
  if (location === ":memory:") {
    return (
      Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }))
    );
  }
  const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(location) + sizeOf(`${location}-wal`);
}
