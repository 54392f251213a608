/**
 * The runtime's right to lead its streams: one lease with one heartbeat, to which every stream of the runtime points.
 */
import { codeForLog } from "../errors.ts";
import { FencedError, SessionBusyError, type EventLog, type Lease } from "../log/index.ts";
import type { Clock, Logger } from "../ports.ts";

/** Milliseconds that a lease lives without a heartbeat. */
const LEASE_TTL_MS = 10_000;

const HEARTBEAT_MS = 2_000;

/** Without a heartbeat for so long, everything under the lease has to stop: another process may soon take over. */
const GIVE_UP_MS = (LEASE_TTL_MS * 2) / 3;

/** What a heartbeat that was sent only just before that may still take. */
const GRACE_MS = 500;

/** A stream that points to the lease. */
export interface Led {
  /** Called when the lease may be gone soon: nothing may take effect under it any more. */
  loseLead(): void;
}

/** Holds the lease of one runtime. */
export class Leadership {
  readonly #log: EventLog;
  readonly #key: string;
  readonly #owner: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #led = new Map<string, Led>();
  readonly #watchers = new Set<() => void>();
  #lease: Lease;
  #isClosed = false;
  #isTaken = false;
  /** The last heartbeat failed, which is told once. */
  #isFailing = false;
  #regaining: Promise<void> | null = null;
  #cancelBeat: () => void = () => undefined;
  /** When the heartbeat was sent that has no answer yet. */
  #beatSince: number | null = null;
  #cancelGiveUp: () => void = () => undefined;

  private constructor(log: EventLog, lease: Lease, owner: string, clock: Clock, logger: Logger) {
    this.#log = log;
    this.#key = lease.key;
    this.#owner = owner;
    this.#clock = clock;
    this.#logger = logger;
    this.#lease = lease;
    this.#giveUpLater(clock.monotonic());
    this.#beatLater();
  }

  /** @param owner - who leads, as `SessionBusyError` shows it to others */
  static async acquire(
    log: EventLog,
    key: string,
    owner: string,
    clock: Clock,
    logger: Logger,
  ): Promise<Leadership> {
    return new Leadership(log, await log.acquire(key, owner, LEASE_TTL_MS), owner, clock, logger);
  }

  /** Of the lease; it stays the same when the lease is lost and acquired again. */
  get key(): string {
    return this.#key;
  }

  /** Whether another process holds the lease by now, so that there is nothing more to lead. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Points a stream to the lease. @throws SessionBusyError when another live lease leads it */
  async claim(stream: string, led: Led): Promise<void> {
    try {
      await this.#log.claim(stream, this.#lease);
    } catch (error) {
      // A process that slept too long finds its lease expired: the next one is as good.
      if (!(error instanceof FencedError)) throw error;
      await this.#acquireOnce();
      await this.#log.claim(stream, this.#lease);
    }
    this.#led.set(stream, led);
  }

  /** Gives a stream back. */
  async unclaim(stream: string): Promise<void> {
    if (!this.#led.delete(stream)) return;
    await this.#log.unclaim(stream, this.#lease);
  }

  /** After the lease was lost: acquires the next one and claims the stream again. @throws SessionBusyError */
  async regain(stream: string, led: Led): Promise<void> {
    this.#led.delete(stream);
    await this.#acquireOnce();
    await this.claim(stream, led);
  }

  /**
   * Tells of each time that the lease is lost, or may be soon: what is done under it has to stop.
   *
   * @returns a function that ends it
   */
  watch(lost: () => void): () => void {
    this.#watchers.add(lost);
    return () => void this.#watchers.delete(lost);
  }

  /** An expired lease is not renewed: acquires the next one. For what is led by no stream. */
  acquireNext(): Promise<void> {
    return this.#acquireOnce();
  }

  /** Ends the heartbeat and gives the lease back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelBeat();
    this.#cancelGiveUp();
    await this.#log.release(this.#lease);
  }

  /** Several streams notice at once; the lease is acquired for all of them by the first. */
  #acquireOnce(): Promise<void> {
    this.#regaining ??= this.#acquireAgain().finally(() => (this.#regaining = null));
    return this.#regaining;
  }

  async #acquireAgain(): Promise<void> {
    const since = this.#clock.monotonic();
    const { fence } = this.#lease;
    try {
      this.#lease = await this.#log.acquire(this.#key, this.#owner, LEASE_TTL_MS);
    } catch (error) {
      this.#isTaken ||= error instanceof SessionBusyError;
      throw error;
    }
    if (this.#lease.fence !== fence) this.#tellLost();
    this.#giveUpLater(since);
  }

  #tellLost(): void {
    for (const lost of this.#watchers) lost();
  }

  #beatLater(): void {
    if (this.#isClosed || this.#isTaken) return;
    this.#cancelBeat = this.#clock.setTimer(HEARTBEAT_MS, () => void this.#beat(), true);
  }

  async #beat(): Promise<void> {
    const since = this.#clock.monotonic();
    this.#beatSince = since;
    try {
      await this.#renew(since);
      this.#isFailing = false;
    } catch (error) {
      const code = codeForLog(error);
      if (!this.#isFailing) this.#logger.warn({ code, lease: this.#key }, "a lease could not be renewed");
      this.#isFailing = true;
    }
    this.#beatSince = null;
    this.#beatLater();
  }

  async #renew(since: number): Promise<void> {
    try {
      this.#lease = await this.#log.renew(this.#lease);
      this.#giveUpLater(since);
    } catch (error) {
      // A process that slept, or waited, too long. Streams that it leads notice for themselves; without any the next lease
      // is as good, and nothing has happened that anybody need know of.
      if (!(error instanceof FencedError) || this.#led.size > 0) throw error;
      await this.#acquireOnce();
    }
  }

  /**
   * On a timer of its own: a heartbeat may wait for a locked log for longer than the lease lives.
   *
   * @param since - monotonic milliseconds before the lease was asked for, from which it lives at the earliest
   */
  #giveUpLater(since: number, delayMs = Math.max(0, since + GIVE_UP_MS - this.#clock.monotonic())): void {
    this.#cancelGiveUp();
    if (this.#isClosed) return;
    const giveUp = (): void => {
      const now = this.#clock.monotonic();
      // When the event loop stood still, the heartbeat and this fall due together: it still gets its chance.
      const isBeatNew = this.#beatSince !== null && now - this.#beatSince < GRACE_MS;
      if (isBeatNew && now + GRACE_MS < since + LEASE_TTL_MS) this.#giveUpLater(since, GRACE_MS);
      else {
        for (const led of this.#led.values()) led.loseLead();
        this.#tellLost();
      }
    };
    this.#cancelGiveUp = this.#clock.setTimer(delayMs, giveUp, true);
  }
}
