/**
 * Facts to one consumer: what is in the log from a place on, then each new one, without a gap or a double. Catching up
 * waits for the consumer. New facts wait in memory, and a consumer that lets too many wait is ended; it can go on from
 * the last fact that it was sent. docs/reference/control-plane.md, "Following facts"
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { LemonError } from "../../errors.ts";
import type { Fact } from "../../events/index.ts";
import type { Cursor, EventLog } from "../../log/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { pendingFact, takeBatch, type Pending } from "./batch.ts";

/** Bytes that may wait for a consumer. */
const MAX_UNSENT_BYTES = 8 * 1_048_576;
/** How long more than that may wait: one large commit is no sign of a slow consumer. */
const GRACE_MS = 1_000;
/** How long a consumer may take nothing at all. */
const STALL_MS = 30_000;
/** Facts that are looked at before others get a turn. */
const PAGE = 256;

/** Which facts a consumer wants. */
export interface FactFilter {
  readonly types: ReadonlySet<string> | null;
  /** Beginning of the name of the stream. */
  readonly prefix: string;
  /** Names of streams; `null`: all. */
  readonly streams: ReadonlySet<string> | null;
}

/** What takes the facts. */
export interface FactSink {
  /** @returns a promise that resolves when the facts have left this process */
  send(facts: readonly Pending[], next: Cursor): Promise<void>;
}

/** Why a feed ended. `stopped`: it was told to. */
export type FeedEnd = "slow_consumer" | "stopped" | "log_closed" | "failed";

/** What a feed works on. */
export interface FeedParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `null`: from the first. */
  readonly after: Cursor | null;
  readonly filter: FactFilter;
  readonly sink: FactSink;
}

/** Feeds one consumer. */
export class FactFeed {
  readonly #parts: FeedParts;
  readonly #queue: Pending[] = [];
  #unsentBytes = 0;
  /** Last place that was sent or needs no sending. */
  #after: Cursor | null;
  #end: FeedEnd | null = null;
  #wake: () => void = () => undefined;
  #cancelGrace: (() => void) | null = null;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#after = parts.after;
  }

  /** Where to go on: the last fact that was sent. */
  get after(): Cursor | null {
    return this.#after;
  }

  /** Ends it. What is being sent at this moment still goes. */
  stop(): void {
    this.#finish("stopped");
  }

  /** Feeds until it is stopped or has to end. Never rejects. */
  async run(): Promise<FeedEnd> {
    try {
      await this.#catchUp();
      if (this.#end === null) await this.#follow();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#cancelGrace?.();
    }
    return this.#end ?? "stopped";
  }

  /** Reads on until the end of the log is near. */
  async #catchUp(): Promise<void> {
    const { log } = this.#parts;
    for (;;) {
      let seen = 0;
      let place = this.#after;
      const found: Pending[] = [];
      for await (const fact of log.readAll({ ...from(place), limit: PAGE })) {
        if (this.#hasEnded()) return;
        seen += 1;
        place = log.cursorOf(fact);
        if (this.#wants(fact)) found.push(pendingFact(fact, place));
      }
      while (found.length > 0) {
        if (this.#hasEnded()) return;
        await this.#send(takeBatch(found));
      }
      if (this.#hasEnded()) return;
      this.#after = place;
      if (seen < PAGE) return;
      await nextTurn();
    }
  }

  async #follow(): Promise<void> {
    const { log } = this.#parts;
    const subscription = log.follow({ ...from(this.#after), streams: this.#parts.filter.prefix }).subscribe({
      next: (fact) => this.#take(fact),
      error: (error: unknown) => this.#fail(error),
      complete: () => this.#finish("log_closed"),
    });
    try {
      while (!this.#hasEnded()) {
        if (this.#queue.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
        else {
          const batch = takeBatch(this.#queue);
          await this.#send(batch);
          for (const { bytes } of batch) this.#unsentBytes -= bytes;
        }
      }
    } finally {
      subscription.unsubscribe();
    }
  }

  #take(fact: Fact): void {
    if (this.#end !== null) return;
    const place = this.#parts.log.cursorOf(fact);
    if (!this.#wants(fact)) return;
    const pending = pendingFact(fact, place);
    this.#queue.push(pending);
    this.#unsentBytes += pending.bytes;
    if (this.#unsentBytes > MAX_UNSENT_BYTES && this.#cancelGrace === null) this.#beginGrace();
    this.#wake();
  }

  #beginGrace(): void {
    this.#cancelGrace = this.#parts.clock.setTimer(
      GRACE_MS,
      () => {
        this.#cancelGrace = null;
        if (this.#unsentBytes > MAX_UNSENT_BYTES) this.#finish("slow_consumer");
      },
      true,
    );
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    const last = batch.at(-1);
    if (last === undefined) return;
    const { clock, sink } = this.#parts;
    const how = await new Promise<"sent" | "late" | "ended">((resolve) => {
      const cancel = clock.setTimer(STALL_MS, () => resolve("late"), true);
      const settle = (outcome: "sent" | "ended") => (): void => {
        cancel();
        resolve(outcome);
      };
      this.#wake = () => {
        if (this.#end !== null) settle("ended")();
      };
      sink.send(batch, last.cursor).then(settle("sent"), settle("ended"));
      // They are on their way: a consumer that is ended sees them before it sees the end.
      this.#after = last.cursor;
    });
    this.#wake = () => undefined;
    if (how === "late") this.#finish("slow_consumer");
    if (how === "ended") this.#finish("stopped");
  }

  #wants({ stream, type }: Fact): boolean {
    const { types, prefix, streams } = this.#parts.filter;
    if (types !== null && !types.has(type)) return false;
    return stream.startsWith(prefix) && (streams === null || streams.has(stream));
  }

  #fail(error: unknown): void {
    if (this.#end !== null) return;
    const code = error instanceof LemonError ? error.code : "unknown";
    this.#parts.logger.warn({ code }, "facts could not be read for a subscription");
    this.#finish("failed");
  }

  #finish(end: FeedEnd): void {
    this.#end ??= end;
    this.#wake();
  }

  /** Read through this, or the compiler takes `#end` for null after the first look. */
  #hasEnded(): boolean {
    return this.#end !== null;
  }
}

function from(place: Cursor | null): { readonly after?: Cursor } {
  return place === null ? {} : { after: place };
}
