/**
 * Leases, and which of them leads which stream.
 *
 * A runtime holds one lease and its streams point to it, so that one heartbeat keeps them all. A lease is live until
 * its time is over, or until the process that owns it is seen to be gone from this host.
 */
import type { Statement } from "better-sqlite3";
import { FencedError, SessionBusyError, type LeaseHolder } from "../errors.ts";
import { isOwnerGone } from "../owner.ts";
import type { Lease } from "../port.ts";
import { assertName, assertWhole } from "./checks.ts";
import type { Connection } from "./connection.ts";
import type { Heads } from "./heads.ts";
import type { Memory, Unit } from "./writer.ts";

/** A lease as the table has it. */
export interface LeaseRow extends LeaseHolder {
  readonly ttlMs: number;
}

/** To which lease a stream points; that lease may be dead by now. */
interface Leader {
  readonly key: string;
  readonly fence: number;
}

/** The tables of leases and leaders, and the units that change them. */
export class Leases implements Memory {
  readonly #now: () => number;
  readonly #heads: Heads;
  readonly #selectLease: Statement<[string], LeaseRow>;
  readonly #saveLease: Statement<[string, string, number, number, number, number]>;
  readonly #selectLeader: Statement<[string], Leader>;
  readonly #saveLeader: Statement<[string, string, number]>;
  readonly #deleteLeader: Statement<[string, string, number]>;
  #saveRenewal: Statement<[number, string, number]> | null = null;
  readonly #db: Connection["db"];
  readonly #leases = new Map<string, LeaseRow | null>();
  readonly #leaders = new Map<string, Leader | null>();

  constructor({ db }: Connection, heads: Heads, now: () => number) {
    this.#now = () => Math.floor(now());
    this.#heads = heads;
    this.#db = db;
    this.#selectLease = db.prepare(
      "SELECT owner, fence, ttl_ms AS ttlMs, since, expires_at AS expiresAt FROM leases WHERE key = ?",
    );
    this.#saveLease = db.prepare("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)");
    this.#selectLeader = db.prepare("SELECT key, fence FROM leaders WHERE stream = ?");
    this.#saveLeader = db.prepare("INSERT OR REPLACE INTO leaders VALUES (?, ?, ?)");
    this.#deleteLeader = db.prepare("DELETE FROM leaders WHERE stream = ? AND key = ? AND fence = ?");
  }

  forget(): void {
    this.#leases.clear();
    this.#leaders.clear();
  }

  /**
   * Whether a fact may be added to `stream`, with `lease` as the writer's right to lead.
   *
   * @throws FencedError when the writer's own lease is not live any more
   * @throws SessionBusyError when another live lease leads the stream
   */
  assertMayAppend(stream: string, lease: Lease | undefined): void {
    if (lease !== undefined) this.assertHeld(lease);
    const leader = this.#leaderOf(stream);
    if (leader === null) return;
    if (leader.key === lease?.key && leader.fence === lease.fence) return;
    const row = this.#leaseOf(leader.key);
    if (row?.fence === leader.fence && this.#isLive(row)) throw new SessionBusyError(stream, row);
  }

  /** The same owner gets its live lease again, with a new expiry; otherwise the fence grows. */
  acquire(key: string, owner: string, ttlMs: number): Unit<Lease> {
    assertName("lease", "key", key);
    assertName("lease", "owner", owner);
    assertWhole("lease", "ttlMs", ttlMs, 1);
    return leaseUnit(
      () => {
        const row = this.#leaseOf(key);
        if (row !== null && row.owner !== owner && this.#isLive(row)) throw new SessionBusyError(key, row);
      },
      () => {
        const now = this.#now();
        const row = this.#leaseOf(key);
        const isOwn = row !== null && row.owner === owner && row.expiresAt > now;
        const fence = isOwn ? row.fence : (row?.fence ?? 0) + 1;
        const since = isOwn ? row.since : now;
        if (row !== null && !isOwn && row.owner !== "")
          this.#keepRenewal(key, row, row.expiresAt - row.ttlMs);
        return this.#save(key, { owner, fence, ttlMs, since, expiresAt: now + ttlMs });
      },
    );
  }

  /** Gives the lease its whole time again. An expired one is not renewed: somebody may have acted on its end. */
  renew(lease: Lease): Unit<Lease> {
    return leaseUnit(
      () => {
        this.assertHeld(lease);
      },
      () => {
        // Not asserted again: it may expire between the check and this, which must not refuse the whole batch.
        const row = this.#leaseOf(lease.key);
        if (row === null) throw new Error("the check has seen this lease");
        return this.#save(lease.key, { ...row, expiresAt: this.#now() + row.ttlMs });
      },
    );
  }

  /** Ends the lease. The row stays, so that the fence never repeats; a lease that is not held any more is let be. */
  release(lease: Lease): Unit<void> {
    return leaseUnit(noCheck, () => {
      const row = this.#leaseOf(lease.key);
      if (row?.fence !== lease.fence || row.owner !== lease.owner) return;
      const expiresAt = Math.min(row.expiresAt, this.#now());
      this.#keepRenewal(lease.key, row, expiresAt);
      this.#save(lease.key, { ...row, owner: "", expiresAt });
    });
  }

  /** Points the stream, which need not exist yet, to the lease. */
  claim(stream: string, lease: Lease): Unit<number> {
    assertName("claim", "stream", stream);
    return leaseUnit(
      () => {
        this.assertMayAppend(stream, lease);
      },
      () => {
        const { key, fence } = lease;
        this.#saveLeader.run(stream, key, fence);
        this.#leaders.set(stream, { key, fence });
        return this.#heads.of(stream).version;
      },
    );
  }

  /** Lets the stream go if the lease leads it, live or not. */
  unclaim(stream: string, lease: Lease): Unit<void> {
    return leaseUnit(noCheck, () => {
      this.#deleteLeader.run(stream, lease.key, lease.fence);
      this.#leaders.delete(stream);
    });
  }

  /** Inside a transaction. @throws FencedError when the lease is not live any more */
  assertHeld(lease: Lease): void {
    const row = this.#leaseOf(lease.key);
    if (row?.fence !== lease.fence || row.owner !== lease.owner)
      throw new FencedError(lease, "changed_hands");
    if (row.expiresAt <= this.#now()) throw new FencedError(lease, "expired");
  }

  /** Inside a transaction, when a lease that is there was renewed or acquired last. */
  renewedAt(key: string): number {
    const row = this.#leaseOf(key);
    return row === null ? 0 : row.expiresAt - row.ttlMs;
  }

  /** The lease as the table has it now, live or not. */
  stored(key: string): LeaseRow | null {
    return this.#selectLease.get(key) ?? null;
  }

  /** Who holds the lease; `null` when nobody live does. */
  holderOf(key: string): Omit<LeaseHolder, "since"> | null {
    const row = this.stored(key);
    if (row === null || !this.#isLive(row)) return null;
    const { owner, fence, expiresAt } = row;
    return { owner, fence, expiresAt };
  }

  /** Who leads a stream; `null` when nobody live does. Read anew: what other processes did counts. */
  leaderNow(stream: string): Omit<LeaseHolder, "since"> | null {
    const leader = this.#selectLeader.get(stream);
    const holder = leader === undefined ? null : this.holderOf(leader.key);
    return holder?.fence === leader?.fence ? holder : null;
  }

  /** Whether a lease is live, for many that are asked about at once: each process is looked at once. */
  liveness(): (owner: string, expiresAt: number) => boolean {
    const now = this.#now();
    const gone = new Map<string, boolean>();
    return (owner, expiresAt) => {
      if (expiresAt <= now) return false;
      let isGone = gone.get(owner);
      if (isGone === undefined) gone.set(owner, (isGone = isOwnerGone(owner)));
      return !isGone;
    };
  }

  #isLive(row: LeaseRow): boolean {
    return row.expiresAt > this.#now() && !isOwnerGone(row.owner);
  }

  /** The row of a lease tells of one holder at a time: for jobs of one that goes, its last renewal is kept with them. */
  #keepRenewal(key: string, { fence }: LeaseRow, renewedAt: number): void {
    this.#saveRenewal ??= this.#db.prepare("UPDATE jobs SET renewed_at = ? WHERE holder = ? AND fence = ?");
    this.#saveRenewal.run(renewedAt, key, fence);
  }

  #save(key: string, row: LeaseRow): Lease {
    const { owner, fence, ttlMs, since, expiresAt } = row;
    this.#saveLease.run(key, owner, fence, ttlMs, since, expiresAt);
    this.#leases.set(key, row);
    return { key, owner, fence, expiresAt };
  }

  #leaseOf(key: string): LeaseRow | null {
    return remembered(this.#leases, key, () => this.#selectLease.get(key) ?? null);
  }

  #leaderOf(stream: string): Leader | null {
    return remembered(this.#leaders, stream, () => this.#selectLeader.get(stream) ?? null);
  }
}

const noCheck = (): void => undefined;

function leaseUnit<Result>(check: () => void, write: () => Result): Unit<Result> {
  return { size: 1, check, write };
}

const MAX_REMEMBERED = 10_000;

function remembered<Value>(
  memory: Map<string, Value | null>,
  key: string,
  read: () => Value | null,
): Value | null {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  const value = read();
  memory.set(key, value);
  return value;
}
