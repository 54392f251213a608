/** Follows the log for all who look at the page: one reader, whatever the number of clients. */
import type { ServerResponse } from "node:http";
import type { Subscription } from "rxjs";
import { codeForLog } from "../../errors.ts";
import type { Fact } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { SessionBook } from "../session/session-book.ts";
import type { Shelf } from "../session/shelf.ts";
import { LiveClient, type LiveEnd } from "./live-client.ts";
import { RefusedRequestError } from "./refusal.ts";

/** Clients at once, at most. */
const MAX_CLIENTS = 100;
/** Facts that come within so many milliseconds are told together. */
const TELLING_MS = 25;

/** What the hub works on. */
export interface LiveParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shelf: Shelf;
}

/** All clients. */
export class LiveHub {
  readonly #parts: LiveParts;
  readonly #clients = new Set<LiveClient>();
  #following: Subscription | null = null;
  #isTelling = false;
  #cancelTelling: () => void = () => undefined;
  #hasEnded = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** Follows the log from its end on. Sessions that are opened later read what they need by themselves. */
  async start(): Promise<void> {
    const { log, logger } = this.#parts;
    const { head } = await log.info();
    const after = head === null ? {} : { after: log.cursorOf(head as Fact) };
    this.#following = log.follow({ streams: "session-", ...after }).subscribe({
      next: (fact) => void this.#take(fact),
      error: (error: unknown) => {
        logger.warn({ error: codeForLog(error) }, "the log can't be followed any more");
        this.close("failed");
      },
      complete: () => this.close("shutting_down"),
    });
  }

  /**
   * Tells a client until it goes.
   *
   * @param book - the session that it looks at; `null`: the list alone
   * @throws RefusedRequestError when there are too many, or the server is closing
   */
  add(response: ServerResponse, book: SessionBook | null, after: number): void {
    if (this.#hasEnded) throw new RefusedRequestError("shutting_down", "The server is shutting down.");
    if (this.#clients.size >= MAX_CLIENTS) {
      const message = `At most ${MAX_CLIENTS} clients are told of new facts at once.`;
      throw new RefusedRequestError("too_many_subscriptions", message);
    }
    const client = new LiveClient(response, this.#parts.clock, book, after);
    this.#clients.add(client);
    void client.closed().then(() => {
      client.release();
      this.#clients.delete(client);
    });
  }

  /** Ends all. */
  close(reason: LiveEnd): void {
    this.#hasEnded = true;
    this.#following?.unsubscribe();
    this.#cancelTelling();
    for (const client of this.#clients) client.end(reason);
  }

  async #take(fact: Fact): Promise<void> {
    const { shelf, logger, clock } = this.#parts;
    const sessionId = fact.stream.slice("session-".length);
    for (const client of this.#clients) client.note(sessionId, fact.version);
    try {
      await shelf.follow(fact);
    } catch (error) {
      // The session is read anew at the next request for what it has not.
      logger.warn({ error: codeForLog(error) }, "a session could not be followed");
    }
    if (this.#isTelling || this.#hasEnded) return;
    this.#isTelling = true;
    this.#cancelTelling = clock.setTimer(
      TELLING_MS,
      () => {
        this.#isTelling = false;
        for (const client of this.#clients) client.advance();
      },
      true,
    );
  }
}
