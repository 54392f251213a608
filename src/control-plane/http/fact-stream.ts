/** `GET /facts`: facts as server-sent events. docs/reference/control-plane.md, "Following facts" */
import type { ServerResponse } from "node:http";
import type { Cursor, EventLog } from "../../log/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { Pending } from "../feed/batch.ts";
import { FactFeed, type FactFilter } from "../feed/fact-feed.ts";
import { reasonOf } from "../feed/subscriber.ts";
import { lineOf } from "../message/reply.ts";

const KEEP_ALIVE_MS = 15_000;
/** How long a consumer that was ended has to take what was written. */
const FAREWELL_MS = 30_000;

/** What a stream works on. */
export interface FactStreamParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly after: Cursor | null;
  readonly filter: FactFilter;
}

/** One consumer over one response. */
export class FactStream {
  readonly #response: ServerResponse;
  readonly #parts: FactStreamParts;
  readonly #feed: FactFeed;

  constructor(response: ServerResponse, parts: FactStreamParts) {
    this.#response = response;
    this.#parts = parts;
    const sink = { send: (facts: readonly Pending[]) => this.#write(facts.map(eventOf).join("")) };
    this.#feed = new FactFeed({ ...parts, sink });
  }

  /** Ends it; the consumer is told where to go on. */
  stop(): void {
    this.#feed.stop();
  }

  /** Writes until the consumer goes, or has to go, or the stream is stopped. Never rejects. */
  async run(): Promise<void> {
    const response = this.#response;
    let cancel = this.#keepAlive();
    const keepAlive = (): void => {
      cancel();
      cancel = this.#keepAlive();
    };
    this.#again = keepAlive;
    response.on("error", () => this.#feed.stop());
    response.on("close", () => this.#feed.stop());
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    });
    // An event without data sets only the id to go on from, so that nothing is lost by who reconnects at once.
    response.write(this.#parts.after === null ? ": from the first fact\n\n" : `id: ${this.#parts.after}\n\n`);
    const end = await this.#feed.run();
    cancel();
    if (response.destroyed) return;
    const ended = { reason: reasonOf(end), after: this.#feed.after };
    response.end(`event: facts.ended\ndata: ${lineOf(ended)}\n\n`);
    const cancelFarewell = this.#parts.clock.setTimer(FAREWELL_MS, () => response.destroy(), true);
    response.on("close", cancelFarewell);
  }

  #again: () => void = () => undefined;

  #keepAlive(): () => void {
    return this.#parts.clock.setTimer(
      KEEP_ALIVE_MS,
      () => {
        // What is not taken needs no sign of life.
        if (this.#response.writableLength === 0) this.#response.write(": alive\n\n");
        this.#again();
      },
      true,
    );
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#response.write(text, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }
}

function eventOf({ text, cursor }: Pending): string {
  return `id: ${cursor}\nevent: facts.appended\ndata: ${text}\n\n`;
}
