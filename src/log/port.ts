/**
 * The port through which the runtime reaches its log. Every engine passes test/contract/event-log.ts.
 */
import type { Observable } from "rxjs";
import type { Fact, NewFact } from "../events/index.ts";

/** `strict`: durable on disk when the promise resolves. `relaxed`: survives a crash of the process, not of the machine. */
export type Durability = "strict" | "relaxed";

/** A fact as the log holds it: its data still as text, for readers that compare rather than parse; `null` where it was left out. */
export type StoredFact = Omit<Fact, "data"> & { readonly text: string };

/** Where a reader stands in the whole log. Opaque: only the engine that made it may read it. */
export type Cursor = string;

/** The right to lead, until it expires. Each change of hands raises `fence`. */
export interface Lease {
  readonly key: string;
  readonly owner: string;
  readonly fence: number;
  /** Epoch milliseconds of the log's clock. */
  readonly expiresAt: number;
}

/** `"any"`: no check. `"none"`: the stream must not exist. A number: the stream's last version. */
export type ExpectedVersion = number | "any" | "none";

/** How an append is made. */
export interface AppendOptions {
  /** The lease under which the writer leads the stream. */
  readonly fence?: Lease;
  /** Default: the log's own. If one unit of a commit is strict, the commit is. */
  readonly durability?: Durability;
}

/** A stored fold of a stream up to `version`; disposable. */
export interface Snapshot {
  readonly stream: string;
  /** Which fold: `actors`, `views`, `transcript/3` … */
  readonly name: string;
  readonly version: number;
  /** What wrote it; a reader of another build ignores it. */
  readonly writer: string;
  readonly text: string;
}

/** What is known of a snapshot before its text is read. */
export type SnapshotHead = Pick<Snapshot, "name" | "version" | "writer">;

/** A piece of work that waits in a queue or is being done; who does it is known by a lease. docs/reference/event-log.md#jobs */
export interface Job {
  readonly queue: string;
  readonly key: string;
  /** Place in line: position of the log's last fact when it was enqueued, those of the same unit included. Never changes. */
  readonly order: number;
  /** Key of the lease whose holder alone may take it while that lease is live; `null`: anybody. */
  readonly bound: string | null;
  /** Whether the lease of `bound` is live; false when `bound` is null. */
  readonly isBoundLive: boolean;
  /** Who took it; `null` while it waits. */
  readonly holder: JobHolder | null;
  /** Its outcome is recorded, it takes no slot any more, and its holder is only tidying up. */
  readonly isEnding: boolean;
}

/** The lease under which a job is done. */
export interface JobHolder {
  readonly key: string;
  readonly fence: number;
  readonly owner: string;
  readonly isLive: boolean;
  /** Epoch milliseconds of the log's clock: when the lease was last renewed or acquired, or else released. */
  readonly renewedAt: number;
}

/** A job to be put in line. */
export interface NewJob {
  readonly queue: string;
  /** One of its kind in the queue. */
  readonly key: string;
  /** Key of a lease: while that is live, its holder alone may take the job. Default: anybody may. */
  readonly bound?: string | null;
  /** How many jobs may wait in the queue, this one included, 1 or more. Default: any number. */
  readonly limit?: number;
}

/** Which job to take, and for whom. */
export interface JobClaim {
  readonly queue: string;
  readonly key: string;
  readonly lease: Lease;
  /** How many jobs of the queue may be done at once, over all processes, 1 or more. */
  readonly slots: number;
}

/**
 * Collects what commits together or not at all. All is checked before anything is written: first what is asked of jobs, each
 * with those before it done, then the appends.
 */
export interface UnitOfWork {
  append(stream: string, expected: ExpectedVersion, facts: readonly NewFact[], options?: AppendOptions): void;
  /** Keeps the newest snapshot per stream and name. */
  saveSnapshot(snapshot: Snapshot): void;
  /** Puts a job in line. Refused with JobTakenError when its key is there, JobQueueFullError when `limit` jobs wait. */
  enqueueJob(job: NewJob): void;
  /**
   * Takes a job that waits, or whose holder's lease is dead. Refused with FencedError when the own lease is not live,
   * JobTakenError when the job is not free for it, LaneFullError when `slots` jobs are done under live leases.
   */
  claimJob(claim: JobClaim): void;
  /** Puts it back in line, at its old place and still bound. One that is not there is let be. */
  releaseJob(queue: string, key: string): void;
  /** Its outcome is recorded: it takes no slot any more and can't be claimed. One that is not there is let be. */
  endJob(queue: string, key: string): void;
  /** Removes it. One that is not there is let be. */
  settleJob(queue: string, key: string): void;
}

/** Something that `verify` noticed. */
export interface Finding {
  readonly level: "error" | "warning";
  readonly code: string;
  readonly stream: string | null;
  readonly version: number | null;
  readonly position: number | null;
  readonly message: string;
}

/** Where a log stands. `bytes` counts the file and its write-ahead log. */
export interface LogInfo {
  readonly engine: string;
  readonly location: string;
  readonly formatVersion: number;
  readonly facts: number;
  readonly streams: number;
  readonly bytes: number;
  readonly durability: Durability;
  readonly head: {
    readonly position: number;
    readonly stream: string;
    readonly version: number;
    readonly hash: string;
  } | null;
}

/** Which part of a stream to read, and in which order. */
export interface ReadOptions {
  /** First version, inclusive. Default 1. */
  readonly from?: number;
  /** Last version, inclusive. Default: the stream's last. */
  readonly to?: number;
  readonly backwards?: boolean;
  /** Only facts of these types, and of those the ones that have their data. Default: all. */
  readonly types?: readonly string[];
}

/** Which part of the whole log to read. */
export interface ReadAllOptions {
  /** Facts after this place only. */
  readonly after?: Cursor;
  /** Only facts of these types, and of those the ones that have their data. Default: all. */
  readonly types?: readonly string[];
  readonly limit?: number;
}

/** From where, and what, to follow. */
export interface FollowOptions {
  readonly after?: Cursor;
  /** Only streams whose name begins with this. */
  readonly streams?: string;
  /** Only the stream of exactly this name. */
  readonly stream?: string;
}

/** An append-only log of facts in streams. All methods reject with a `LemonError` subclass from `log/errors.ts`. */
export interface EventLog {
  /** Appends at an expected version; resolves when durable. Appends asked for in one event-loop tick share a commit. */
  append(
    stream: string,
    expected: ExpectedVersion,
    facts: readonly NewFact[],
    options?: AppendOptions,
  ): Promise<Fact[]>;
  /** Several appends and snapshots, all or nothing. */
  commit(unit: (work: UnitOfWork) => void): Promise<Fact[]>;
  read(stream: string, options?: ReadOptions): AsyncIterable<Fact>;
  /** Like `read`, a page of facts at a time and without parsing their data. */
  readStored(stream: string, options?: ReadOptions): AsyncIterable<readonly StoredFact[]>;
  readAll(options?: ReadAllOptions): AsyncIterable<Fact>;
  /**
   * Catches up from `after`, then goes on live: no gap, no double, also for what other processes append. A fact is
   * seen after the append that brought it has resolved.
   */
  follow(options?: FollowOptions): Observable<Fact>;
  /** Cursor of a fact that this log gave out, to go on after it. */
  cursorOf(fact: Fact): Cursor;
  streams(prefix?: string): Promise<{ stream: string; version: number }[]>;
  putBlob(bytes: Uint8Array): Promise<string>;
  getBlob(sha256: string): Promise<Uint8Array>;
  /** Whether such a blob is stored; does not read it. */
  hasBlob(sha256: string): Promise<boolean>;
  /**
   * The newest snapshot of each name, by name.
   *
   * @param choose - which of them to read; default all
   */
  loadSnapshots(
    stream: string,
    choose?: (heads: readonly SnapshotHead[]) => readonly SnapshotHead[],
  ): Promise<Snapshot[]>;
  acquire(key: string, owner: string, ttlMs: number): Promise<Lease>;
  renew(lease: Lease): Promise<Lease>;
  release(lease: Lease): Promise<void>;
  /** Makes `lease` the leader of `stream`. @returns the stream's version */
  claim(stream: string, lease: Lease): Promise<number>;
  unclaim(stream: string, lease: Lease): Promise<void>;
  /** Who leads `stream` now, under a lease that is live; `null` for nobody. */
  leaderOf(stream: string): Promise<Omit<Lease, "key"> | null>;
  /** Who holds a lease now; `null` when nobody live does. */
  holderOf(key: string): Promise<Omit<Lease, "key"> | null>;
  /** The jobs of a queue, by order and then by key. */
  jobs(queue: string): Promise<readonly Job[]>;
  verify(stream?: string): AsyncIterable<Finding>;
  /** Copies the log, while it is in use, to a file that must not exist. */
  backup(file: string): Promise<void>;
  info(): Promise<LogInfo>;
  close(): Promise<void>;
}

/** How a log is opened. */
export interface OpenOptions {
  readonly durability?: Durability;
  readonly readOnly?: boolean;
  /** Epoch milliseconds; for tests of leases. */
  readonly now?: () => number;
  /** What the user should know and nothing failed for: a network file system, lost facts. Default: a process warning. */
  readonly onWarning?: (message: string) => void;
}
