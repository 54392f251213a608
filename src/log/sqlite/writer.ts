/**
 * Group commit: the units that are asked for in one turn of the event loop share one transaction.
 *
 * A unit first checks, which may refuse it alone, and then writes; a fault in writing refuses the whole batch. What
 * the parts of the engine remember of the tables is true only for as long as nobody else commits and nothing is
 * rolled back: then they forget it.
 */
import type { Statement } from "better-sqlite3";
import { LemonError } from "../../errors.ts";
import type { Fact } from "../../events/index.ts";
import { LogReadOnlyError } from "../errors.ts";
import type { Durability } from "../port.ts";
import { setDurability, type Connection } from "./connection.ts";
import { isBusy, typedFault } from "./faults.ts";

/** What commits together or not at all. */
export interface Unit<Result> {
  /** How many facts it adds and jobs it changes: a commit has at most 256, or one larger unit. */
  readonly size: number;
  /** Default: the log's own. */
  readonly durability?: Durability | undefined;
  /** Throws a `LemonError` to refuse the unit; writes nothing. */
  check(): void;
  /** Writes; adds its facts to `committed`. */
  write(committed: Fact[]): Result;
}

/** Remembers something of the tables. */
export interface Memory {
  forget(): void;
}

/** What the writer is told. */
export interface WriterOptions {
  readonly durability: Durability;
  readonly memories: readonly Memory[];
  /** Called after each commit that added facts, before those who asked for it are told. */
  readonly onCommit: (facts: readonly Fact[]) => void;
}

interface Waiting {
  readonly unit: Unit<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_FACTS_PER_COMMIT = 256;
/** SQLite waits this long for a lock inside one call; the event loop stands still meanwhile. */
const LOCK_WAIT_MS = 50;
const LOCK_RETRY_MS = 5;
const LOCK_PATIENCE_MS = 30_000;

/** Runs units in the order in which they were asked for. */
export class Writer {
  readonly #connection: Connection;
  readonly #options: WriterOptions;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #dataVersion: Statement<[], number>;
  #queue: Waiting[] = [];
  #isScheduled = false;
  #idle: (() => void)[] = [];
  #lockedSince: number | null = null;
  #durability: Durability;
  #seenDataVersion: number | undefined;

  constructor(connection: Connection, options: WriterOptions) {
    const { db } = connection;
    this.#connection = connection;
    this.#options = options;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#rollback = db.prepare("ROLLBACK");
    this.#dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
    this.#durability = options.durability;
    setDurability(db, options.durability);
    if (!connection.readOnly) db.pragma(`busy_timeout = ${LOCK_WAIT_MS}`);
  }

  /**
   * Resolves with what the unit wrote when that is durable.
   *
   * @param make - makes the unit; what it throws refuses the unit at once
   */
  submit<Result>(make: () => Unit<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const { readOnly, location } = this.#connection;
      if (readOnly) throw new LogReadOnlyError(location, "it was opened read-only");
      const unit = make();
      // The queue holds units of every kind; each is resolved with the result of its own `write`.
      this.#queue.push({ unit, resolve: resolve as (result: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing waits any more. */
  drained(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    const batch = this.#takeBatch();
    try {
      this.#wantDurability(batch);
      this.#begin.run();
    } catch (error) {
      if (isBusy(error) && this.#canWaitLonger()) {
        this.#queue = [...batch, ...this.#queue];
        this.#isScheduled = true;
        setTimeout(this.#flush, LOCK_RETRY_MS);
        return;
      }
      this.#rejectAll(batch, error);
      this.#goOn();
      return;
    }
    this.#lockedSince = null;
    this.#run(batch);
    this.#goOn();
  };

  #run(batch: readonly Waiting[]): void {
    const committed: Fact[] = [];
    const outcomes: (() => void)[] = [];
    try {
      this.#forgetIfOthersWrote();
      for (const waiting of batch) outcomes.push(runUnit(waiting, committed));
      this.#commit.run();
    } catch (error) {
      this.#undo();
      this.#rejectAll(batch, error);
      return;
    }
    if (committed.length > 0) this.#options.onCommit(committed);
    for (const settle of outcomes) settle();
  }

  #takeBatch(): Waiting[] {
    let facts = 0;
    let count = 0;
    for (const { unit } of this.#queue) {
      facts += unit.size;
      if (count > 0 && facts > MAX_FACTS_PER_COMMIT) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  #goOn(): void {
    if (this.#queue.length > 0) {
      this.#schedule();
      return;
    }
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** One strict unit makes the commit strict. */
  #wantDurability(batch: readonly Waiting[]): void {
    const own = this.#options.durability;
    const isStrict = batch.some(({ unit }) => (unit.durability ?? own) === "strict");
    const wanted = isStrict ? "strict" : "relaxed";
    if (wanted === this.#durability) return;
    setDurability(this.#connection.db, wanted);
    this.#durability = wanted;
  }

  /** Only inside the transaction: before it, another process could still commit. Own commits don't change it. */
  #forgetIfOthersWrote(): void {
    const dataVersion = this.#dataVersion.get();
    if (dataVersion === this.#seenDataVersion) return;
    this.#seenDataVersion = dataVersion;
    this.#forget();
  }

  #forget(): void {
    for (const memory of this.#options.memories) memory.forget();
  }

  #undo(): void {
    this.#forget();
    // After some faults, a full disk among them, SQLite has rolled back already.
    if (this.#connection.db.inTransaction) this.#rollback.run();
  }

  #canWaitLonger(): boolean {
    this.#lockedSince ??= performance.now();
    return performance.now() - this.#lockedSince < LOCK_PATIENCE_MS;
  }

  #rejectAll(batch: readonly Waiting[], error: unknown): void {
    this.#lockedSince = null;
    const fault = typedFault(error, this.#connection.location);
    for (const { reject } of batch) reject(fault);
  }
}

/** @returns what to tell the one who asked, once the commit is durable */
function runUnit({ unit, resolve, reject }: Waiting, committed: Fact[]): () => void {
  try {
    unit.check();
  } catch (refusal) {
    if (!(refusal instanceof LemonError)) throw refusal;
    return () => {
      reject(refusal);
    };
  }
  const result = unit.write(committed);
  return () => {
    resolve(result);
  };
}
