/**
 * The runtime's right to lead its streams: one lease with one heartbeat, to which every stream of the runtime points.
 */
import { LemonError } from "../errors.ts";
import { FencedError, type EventLog, type Lease } from "../log/index.ts";
import type { Clock, Logger } from "../ports.ts";

/** Milliseconds that a lease lives without a heartbeat. */
const LEASE_TTL_MS = 15_000;

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
  #lease: Lease;
  #renewedAt: number;
  #warned = false;
  #regaining: Promise<void> | null = null;
  #cancelBeat: () => void = () => undefined;

  private constructor(log: EventLog, lease: Lease, owner: string, clock: Clock, logger: Logger) {
    this.#log = log;
    this.#key = lease.key;
    this.#owner = owner;
    this.#clock = clock;
    this.#logger = logger;
    this.#lease = lease;
    this.#renewedAt = clock.monotonic();
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

  /** Ends the heartbeat and gives the lease back. */
  async close(): Promise<void> {
    this.#cancelBeat();
    await this.#log.release(this.#lease);
  }

  /** Several streams notice at once; the lease is acquired for all of them by the first. */
  #acquireOnce(): Promise<void> {
    this.#regaining ??= this.#acquireAgain().finally(() => (this.#regaining = null));
    return this.#regaining;
  }

  async #acquireAgain(): Promise<void> {
    this.#lease = await this.#log.acquire(this.#key, this.#owner, LEASE_TTL_MS);
    this.#renewedAt = this.#clock.monotonic();
    this.#warned = false;
  }

  #beatLater(): void {
    this.#cancelBeat = this.#clock.setTimer(LEASE_TTL_MS / 3, () => void this.#beat(), true);
  }

  async #beat(): Promise<void> {
    try {
      this.#lease = await this.#log.renew(this.#lease);
      this.#renewedAt = this.#clock.monotonic();
      this.#warned = false;
    } catch (error) {
      this.#logger.warn(
        { code: error instanceof LemonError ? error.code : "unknown" },
        "the heartbeat failed",
      );
    }
    // Before the lease can expire and another process take over, everything under it has to stop.
    if (!this.#warned && this.#clock.monotonic() - this.#renewedAt >= (LEASE_TTL_MS * 2) / 3) {
      this.#warned = true;
      for (const led of this.#led.values()) led.loseLead();
    }
    this.#beatLater();
  }
}
