/** A connection over which facts are sent unasked, with the subscriptions that it holds. */
import type { Clock, Ids, Logger } from "../../ports.ts";
import type { Cursor, EventLog } from "../../log/index.ts";
import { notificationText } from "../message/reply.ts";
import { RefusedError } from "../rpc-error.ts";
import { FactFeed, type FactFilter, type FeedEnd } from "./fact-feed.ts";

/** Subscriptions of a connection, at most. */
const MAX_SUBSCRIPTIONS = 100;

/** What a subscriber works on. */
export interface SubscriberParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: Ids;
  /** Writes a line. @returns a promise that resolves when it has left this process */
  readonly send: (text: string) => Promise<void>;
}

interface Subscription {
  readonly feed: FactFeed;
  readonly ended: Promise<void>;
}

/** The subscriptions of one connection. */
export class Subscriber {
  readonly #parts: SubscriberParts;
  readonly #subscriptions = new Map<string, Subscription>();
  #isClosed = false;

  constructor(parts: SubscriberParts) {
    this.#parts = parts;
  }

  /**
   * Sends facts after a place, `null` for the beginning.
   *
   * @param answered - when the answer that names the subscription is on its way: nothing is sent before
   * @returns the id of the subscription
   */
  subscribe(after: Cursor | null, filter: FactFilter, answered: Promise<void>): string {
    const { log, clock, logger, ids, send } = this.#parts;
    if (this.#isClosed) throw new RefusedError("shutting_down", "The server is shutting down.");
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new RefusedError(
        "too_many_subscriptions",
        `A connection has at most ${MAX_SUBSCRIPTIONS} subscriptions.`,
      );
    }
    const subscriptionId = ids("sub");
    const feed = new FactFeed({
      log,
      clock,
      logger,
      after,
      filter,
      sink: {
        send: (facts, next) =>
          send(
            `{"jsonrpc":"2.0","method":"facts.appended","params":{"subscriptionId":${JSON.stringify(subscriptionId)},` +
              `"facts":[${facts.map(({ text }) => text).join(",")}],"next":${JSON.stringify(next)}}}`,
          ),
      },
    });
    const ended = answered.then(() => feed.run()).then((end) => this.#ended(subscriptionId, feed, end));
    this.#subscriptions.set(subscriptionId, { feed, ended });
    return subscriptionId;
  }

  /** Ends a subscription. @returns whether there was one */
  unsubscribe(subscriptionId: string): boolean {
    const found = this.#subscriptions.get(subscriptionId);
    this.#subscriptions.delete(subscriptionId);
    found?.feed.stop();
    return found !== undefined;
  }

  /** Ends all; each consumer is told that the server is shutting down, and where to go on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#subscriptions.values()];
    for (const { feed } of all) feed.stop();
    await Promise.all(all.map(({ ended }) => ended));
  }

  #ended(subscriptionId: string, feed: FactFeed, end: FeedEnd): void {
    // Who ended it knows that it has ended.
    if (!this.#subscriptions.delete(subscriptionId)) return;
    const ended = notificationText("facts.ended", {
      subscriptionId,
      reason: reasonOf(end),
      after: feed.after,
    });
    // A connection that is broken has nobody to tell, and one that takes nothing is told when it does.
    this.#parts.send(ended).catch(() => undefined);
  }
}

/** Why a feed ended, as its consumer is told. */
export function reasonOf(end: FeedEnd): "slow_consumer" | "shutting_down" | "failed" {
  if (end === "slow_consumer" || end === "failed") return end;
  return "shutting_down";
}
