/**
 * Following the log live. A follower is a position and nothing else: whatever wakes it, it reads on from there, so
 * there is no gap between catching up and going on, and no fact comes twice.
 */
import { createRequire } from "node:module";
import type { Statement } from "better-sqlite3";
import type * as Rxjs from "rxjs";
import type { Fact } from "../../events/index.ts";
import type { FollowOptions } from "../port.ts";
import type { Connection } from "./connection.ts";
import type { Reader } from "./reader.ts";

/** How often to look whether another process has committed. */
const POLL_MS = 50;

interface Follower {
  position: number;
  /** A look at the table is due already. */
  isWoken: boolean;
  readonly wanted: (stream: string) => boolean;
  readonly subscriber: Rxjs.Subscriber<Fact>;
}

/** All who follow this handle, and the poll that serves them. */
export class Followers {
  readonly #reader: Reader;
  readonly #dataVersion: Statement<[], number>;
  readonly #followers = new Set<Follower>();
  /** Committed, and not told yet. */
  readonly #fresh: (readonly Fact[])[] = [];
  #poll: NodeJS.Timeout | undefined;
  #seenDataVersion: number | undefined;

  constructor({ db }: Connection, reader: Reader) {
    this.#reader = reader;
    this.#dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  }

  follow({ after, streams = "", stream }: FollowOptions): Rxjs.Observable<Fact> {
    const { Observable } = loadRxjs();
    return new Observable<Fact>((subscriber) => {
      const position = this.#reader.positionOf(after); // a throw here becomes the observable's error
      const wanted = (name: string): boolean =>
        stream === undefined ? name.startsWith(streams) : name === stream;
      const follower: Follower = { position, isWoken: false, wanted, subscriber };
      this.#followers.add(follower);
      this.#startPolling();
      this.#wake(follower);
      return () => {
        this.#followers.delete(follower);
        if (this.#followers.size === 0) this.#stopPolling();
      };
    });
  }

  /**
   * This process has committed `facts`. Followers see them a turn of the event loop later: whoever appended them and
   * folds them into views is through by then, so a follower that looks at such a view finds them in it.
   */
  committed(facts: readonly Fact[]): void {
    if (this.#followers.size === 0) return;
    this.#fresh.push(facts);
    if (this.#fresh.length === 1) setImmediate(() => this.#giveFresh());
  }

  #giveFresh(): void {
    for (const facts of this.#fresh.splice(0)) {
      for (const follower of this.#followers) {
        // A follower that stands right before them needs no look at the table.
        if (facts[0]?.position === follower.position + 1) give(follower, facts);
        else this.#wake(follower);
      }
    }
  }

  /** Completes every follower. */
  close(): void {
    this.#giveFresh();
    this.#stopPolling();
    for (const { subscriber } of this.#followers) subscriber.complete();
  }

  #wake(follower: Follower): void {
    if (follower.isWoken) return;
    follower.isWoken = true;
    setImmediate(() => {
      follower.isWoken = false;
      this.#readOn(follower);
    });
  }

  /** One page a turn, so that catching up leaves the event loop to others. */
  #readOn(follower: Follower): void {
    if (follower.subscriber.closed) return;
    try {
      const page = this.#reader.pageAfter(follower.position);
      if (page.length === 0) return;
      give(follower, page);
      this.#wake(follower);
    } catch (error) {
      follower.subscriber.error(error);
    }
  }

  /** Unref'd: following alone keeps no process alive. */
  #startPolling(): void {
    if (this.#poll !== undefined) return;
    this.#seenDataVersion = this.#readDataVersion();
    this.#poll = setInterval(() => {
      this.#lookForOthers();
    }, POLL_MS).unref();
  }

  /** When even this can't be read, the followers meet the fault as they read on. */
  #lookForOthers(): void {
    const dataVersion = this.#readDataVersion();
    if (dataVersion === this.#seenDataVersion) return;
    this.#seenDataVersion = dataVersion;
    for (const follower of this.#followers) this.#wake(follower);
  }

  #readDataVersion(): number | undefined {
    try {
      return this.#dataVersion.get();
    } catch {
      return undefined;
    }
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}

function give(follower: Follower, facts: readonly Fact[]): void {
  const { subscriber, wanted } = follower;
  for (const fact of facts) {
    if (subscriber.closed) return;
    follower.position = fact.position;
    if (wanted(fact.stream)) subscriber.next(fact);
  }
}

/** At the first `follow`: loading RxJS takes longer than reading a log. A static import would load it at start. */
function loadRxjs(): typeof Rxjs {
  return createRequire(import.meta.url)("rxjs") as typeof Rxjs;
}
