/**
 * One client that is told what is appended. Nothing waits for it in memory: it is told from where it stands in the session's
 * columns when it takes something, so a slow one is caught up in few words.
 */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../ports.ts";
import type { LiveEvent } from "../api.ts";
import type { SessionBook } from "../session/session-book.ts";
import { safeHeaders } from "./static-files.ts";

/** Rows of one event, and facts behind which a client is only told where the session is by now. */
const MAX_ROWS = 500;
const MAX_BEHIND = 2_000;
const KEEP_ALIVE_MS = 15_000;
/** How long a client may take nothing of what was written. */
const STALL_MS = 30_000;

/** Why a client is told no more. */
export type LiveEnd = Extract<LiveEvent, { event: "ended" }>["data"]["reason"];

/** One response that stays open. */
export class LiveClient {
  readonly book: SessionBook | null;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #changed = new Map<string, number>();
  #version: number;
  /** What was written has not left yet. */
  #isBusy = false;
  #cancelStall: () => void = () => undefined;
  #cancelKeepAlive: () => void = () => undefined;
  #hasEnded = false;

  /** @param after - version that the client has; of no meaning without a session */
  constructor(response: ServerResponse, clock: Clock, book: SessionBook | null, after: number) {
    this.#response = response;
    this.#clock = clock;
    this.book = book;
    this.#version = after;
    response.writeHead(200, { ...safeHeaders, "Content-Type": "text/event-stream" });
    response.on("error", () => undefined);
    // An event without data sets only the place to go on from.
    this.#write(book === null ? ": sessions\n\n" : `id: ${after}\n\n`);
    this.#keepAlive();
    this.advance();
  }

  /** Resolves when the connection is gone. */
  closed(): Promise<void> {
    return new Promise((resolve) => this.#response.once("close", resolve));
  }

  /** Tells what the session has beyond what was told, and which sessions changed, as far as the client takes it. */
  advance(): void {
    while (!this.#isBusy && !this.#hasEnded) {
      const event = this.#nextFacts() ?? this.#nextSessions();
      if (event === null) return;
      const id = event.event === "sessions" ? "" : `id: ${this.#version}\n`;
      this.#write(`${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`);
    }
  }

  /** Notes that a session has new facts; told at the next `advance`. */
  note(sessionId: string, version: number): void {
    this.#changed.set(sessionId, version);
  }

  /** The last word. */
  end(reason: LiveEnd): void {
    if (this.#hasEnded) return;
    this.release();
    this.#response.end(`event: ended\ndata: ${JSON.stringify({ reason })}\n\n`);
    // One that takes nothing does not take that either.
    if (reason === "slow_client") this.#response.destroy();
  }

  /** Ends what runs by the clock. */
  release(): void {
    this.#hasEnded = true;
    this.#cancelKeepAlive();
    this.#cancelStall();
  }

  #nextFacts(): LiveEvent | null {
    const { book } = this;
    if (book === null || book.version <= this.#version) return null;
    const { sessionId } = book;
    if (book.version - this.#version > MAX_BEHIND) {
      this.#version = book.version;
      return { event: "jumped", data: { sessionId, version: this.#version } };
    }
    const to = Math.min(book.version, this.#version + MAX_ROWS);
    const rows = Array.from({ length: to - this.#version }, (_, at) =>
      book.columns.row(this.#version + 1 + at),
    );
    this.#version = to;
    return { event: "facts", data: { sessionId, rows } };
  }

  #nextSessions(): LiveEvent | null {
    if (this.#changed.size === 0) return null;
    const changed = [...this.#changed].map(([sessionId, version]) => ({ sessionId, version }));
    this.#changed.clear();
    return { event: "sessions", data: { changed } };
  }

  #write(text: string): void {
    if (this.#response.write(text)) return;
    this.#isBusy = true;
    this.#cancelStall = this.#clock.setTimer(STALL_MS, () => this.end("slow_client"), true);
    this.#response.once("drain", () => {
      this.#cancelStall();
      this.#isBusy = false;
      this.advance();
    });
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#clock.setTimer(
      KEEP_ALIVE_MS,
      () => {
        // What is not taken needs no sign of life.
        if (!this.#isBusy) this.#write(": alive\n\n");
        this.#keepAlive();
      },
      true,
    );
  }
}
