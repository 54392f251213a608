/** Jobs: what waits in a queue or is being done, and under which lease. docs/reference/event-log.md#jobs */
import type { Statement } from "better-sqlite3";
import type { Job, UnitOfWork } from "../port.ts";
import { assertName, assertWhole } from "./checks.ts";
import type { Connection } from "./connection.ts";
import type { Heads } from "./heads.ts";
import { JobPlan, type JobStep } from "./job-plan.ts";
import type { Leases } from "./leases.ts";
import { FIRST_FORMAT_WITH_JOBS, formatOf } from "./schema.ts";

/** A job and the rows of the leases that it names; `null` where it names none, or there is no such row. */
interface Row {
  readonly key: string;
  readonly order: number;
  readonly bound: string | null;
  readonly holder: string | null;
  readonly fence: number | null;
  readonly owner: string | null;
  readonly renewedAt: number | null;
  readonly isEnding: number;
  readonly leaseFence: number | null;
  readonly leaseOwner: string | null;
  readonly leaseTtlMs: number | null;
  readonly leaseExpiresAt: number | null;
  readonly boundOwner: string | null;
  readonly boundExpiresAt: number | null;
}

const SELECT_JOBS = `
  SELECT jobs.key, position AS "order", bound, holder, jobs.fence, jobs.owner, renewed_at AS renewedAt,
    is_ending AS isEnding, held.fence AS leaseFence, held.owner AS leaseOwner, held.ttl_ms AS leaseTtlMs,
    held.expires_at AS leaseExpiresAt, binding.owner AS boundOwner, binding.expires_at AS boundExpiresAt
  FROM jobs
  LEFT JOIN leases AS held ON held.key = holder
  LEFT JOIN leases AS binding ON binding.key = bound
  WHERE queue = ?`;

interface Statements {
  readonly list: Statement<[string], Row>;
  readonly find: Statement<[string, string], Row>;
  readonly held: Statement<[string], Row>;
  readonly waiting: Statement<[string], number>;
  readonly enqueue: Statement<[string, string, number, string | null]>;
  readonly claim: Statement<[string, number, string, number, string, string]>;
  readonly release: Statement<[string, string]>;
  readonly end: Statement<[string, string]>;
  readonly settle: Statement<[string, string]>;
}

/** The table of jobs. */
export class Jobs {
  readonly #connection: Connection;
  readonly #leases: Leases;
  readonly #heads: Heads;
  #statements: Statements | null = null;

  constructor(connection: Connection, leases: Leases, heads: Heads) {
    this.#connection = connection;
    this.#leases = leases;
    this.#heads = heads;
  }

  /** By order. None in a log of an older format, which only a reader can meet: opening to write makes the table. */
  list(queue: string): Job[] {
    const isLive = this.#leases.liveness();
    return (
      this.#prepared()
        ?.list.all(queue)
        .map((row) => jobOf(queue, row, isLive)) ?? []
    );
  }

  /**
   * The part of a unit of work that is about jobs.
   *
   * @param steps - takes what is asked for
   */
  collector(steps: JobStep[]): Omit<UnitOfWork, "append" | "saveSnapshot"> {
    const add = (step: JobStep): void => {
      assertName("job", "queue", step.queue);
      assertName("job", "key", step.key);
      steps.push(step);
    };
    return {
      enqueueJob: ({ queue, key, bound = null, limit = null }) => {
        if (bound !== null) assertName("job", "bound", bound);
        if (limit !== null) assertWhole("job", "limit", limit, 1);
        add({ kind: "enqueue", queue, key, bound, limit });
      },
      claimJob: ({ queue, key, lease, slots }) => {
        assertWhole("job", "slots", slots, 1);
        add({ kind: "claim", queue, key, lease, slots });
      },
      releaseJob: (queue, key) => {
        add({ kind: "release", queue, key });
      },
      endJob: (queue, key) => {
        add({ kind: "end", queue, key });
      },
      settleJob: (queue, key) => {
        add({ kind: "settle", queue, key });
      },
    };
  }

  /**
   * Inside a transaction, whether all of the steps may be done, one after the other.
   *
   * @throws FencedError, JobTakenError, JobQueueFullError or LaneFullError
   */
  check(steps: readonly JobStep[]): void {
    if (steps.length === 0) return;
    const isLive = this.#leases.liveness();
    const statements = this.#writable();
    const plan = new JobPlan({
      find: (queue, key) => {
        const row = statements.find.get(queue, key);
        return row === undefined ? undefined : jobOf(queue, row, isLive);
      },
      waiting: (queue) => statements.waiting.get(queue) ?? 0,
      held: (queue) => statements.held.all(queue).map((row) => jobOf(queue, row, isLive)),
      isLeaseLive: (key) => {
        const lease = this.#leases.stored(key);
        return lease !== null && isLive(lease.owner, lease.expiresAt);
      },
    });
    for (const step of steps) {
      if (step.kind === "claim") this.#leases.assertHeld(step.lease);
      plan.add(step);
    }
  }

  /** Inside the transaction of `check`, once the facts of the unit have their positions. */
  write(steps: readonly JobStep[]): void {
    for (const step of steps) this.#write(step);
  }

  #write(step: JobStep): void {
    const { queue, key } = step;
    const statements = this.#writable();
    switch (step.kind) {
      case "enqueue":
        statements.enqueue.run(queue, key, this.#heads.lastPosition(), step.bound);
        return;
      case "claim": {
        const { lease } = step;
        const renewedAt = this.#leases.renewedAt(lease.key);
        statements.claim.run(lease.key, lease.fence, lease.owner, renewedAt, queue, key);
        return;
      }
      case "release":
      case "end":
      case "settle":
        statements[step.kind].run(queue, key);
    }
  }

  #writable(): Statements {
    const statements = this.#prepared();
    if (statements === null) throw new Error("a log that is open for writing has a table of jobs");
    return statements;
  }

  /** Another process may give a log that is open to read its newer format at any time. */
  #prepared(): Statements | null {
    const { db } = this.#connection;
    if (this.#statements === null && formatOf(db).version < FIRST_FORMAT_WITH_JOBS) return null;
    this.#statements ??= {
      list: db.prepare(`${SELECT_JOBS} ORDER BY position, jobs.key`),
      find: db.prepare(`${SELECT_JOBS} AND jobs.key = ?`),
      held: db.prepare(`${SELECT_JOBS} AND holder IS NOT NULL AND is_ending = 0`),
      waiting: db
        .prepare<[string], number>(
          "SELECT count(*) FROM jobs WHERE queue = ? AND holder IS NULL AND is_ending = 0",
        )
        .pluck(),
      enqueue: db.prepare("INSERT INTO jobs VALUES (?, ?, ?, ?, NULL, NULL, NULL, NULL, 0)"),
      claim: db.prepare(
        "UPDATE jobs SET holder = ?, fence = ?, owner = ?, renewed_at = ? WHERE queue = ? AND key = ?",
      ),
      release: db.prepare(
        "UPDATE jobs SET holder = NULL, fence = NULL, owner = NULL, renewed_at = NULL WHERE queue = ? AND key = ?",
      ),
      end: db.prepare("UPDATE jobs SET is_ending = 1 WHERE queue = ? AND key = ?"),
      settle: db.prepare("DELETE FROM jobs WHERE queue = ? AND key = ?"),
    };
    return this.#statements;
  }
}

type IsLive = (owner: string, expiresAt: number) => boolean;

function jobOf(queue: string, row: Row, isLive: IsLive): Job {
  const { key, order, bound, boundOwner, boundExpiresAt, isEnding } = row;
  return {
    queue,
    key,
    order,
    bound,
    isBoundLive: boundOwner !== null && boundExpiresAt !== null && isLive(boundOwner, boundExpiresAt),
    holder: holderOf(row, isLive),
    isEnding: isEnding === 1,
  };
}

function holderOf(row: Row, isLive: IsLive): Job["holder"] {
  const { holder: key, fence, owner, renewedAt, leaseFence, leaseOwner, leaseTtlMs, leaseExpiresAt } = row;
  if (key === null || fence === null || owner === null || renewedAt === null) return null;
  // A lease that was released, or is another's by now, no longer tells of the holder; the job's row then does.
  if (leaseFence !== fence || leaseOwner !== owner || leaseTtlMs === null || leaseExpiresAt === null)
    return { key, fence, owner, isLive: false, renewedAt };
  return { key, fence, owner, isLive: isLive(owner, leaseExpiresAt), renewedAt: leaseExpiresAt - leaseTtlMs };
}
