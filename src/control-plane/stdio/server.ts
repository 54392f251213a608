/** The control plane over two streams: a message a line. docs/reference/control-plane.md, "Over standard input and output" */
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../ports.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { Subscriber, type SubscriberParts } from "../feed/subscriber.ts";
import { MAX_MESSAGE_BYTES, tooLarge } from "../message/parse.ts";
import { errorText } from "../message/reply.ts";
import { tooMany } from "../rpc-error.ts";
import type { Scope } from "../scopes.ts";
import { LineCutter, type Line } from "./lines.ts";

/** Messages that are handled at once, at most. */
const MAX_OPEN = 1_000;
/** Bytes of answers that may wait; then nothing more is read. */
const MAX_WAITING_BYTES = 1_048_576;

/** What such a server works with. */
export interface StdioParts extends Omit<SubscriberParts, "send"> {
  readonly input: Readable;
  readonly output: Writable;
  readonly dispatcher: Dispatcher;
  readonly scopes: ReadonlySet<Scope>;
  readonly clock: Clock;
}

/** How a connection came to its end. */
export type StdioEnd = "input_ended" | "output_broken";

/** One connection over two streams. */
export class StdioServer {
  readonly #parts: StdioParts;
  readonly #subscriber: Subscriber;
  readonly #cutter = new LineCutter(MAX_MESSAGE_BYTES);
  readonly #open = new Set<Promise<void>>();
  /** The other side has ended: it sends nothing more, or takes nothing more. */
  readonly ended: Promise<StdioEnd>;
  #isBroken = false;

  constructor(parts: StdioParts) {
    this.#parts = parts;
    this.#subscriber = new Subscriber({ ...parts, send: (text) => this.#send(text) });
    const { input, output } = parts;
    this.ended = new Promise((resolve) => {
      output.on("error", () => {
        this.#isBroken = true;
        resolve("output_broken");
      });
      input.on("data", (piece: Buffer) => this.#take(this.#cutter.push(piece)));
      input.on("end", () => {
        this.#take(this.#cutter.end());
        resolve("input_ended");
      });
      // A descriptor that can't be read any more has nothing more to say.
      input.on("error", () => resolve("input_ended"));
    });
  }

  /** Resolves when all that was asked by now is answered. */
  async answered(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Reads nothing more and ends the subscriptions. */
  async close(): Promise<void> {
    this.#parts.input.pause();
    this.#parts.input.removeAllListeners("data");
    await this.#subscriber.close();
  }

  #take(lines: readonly Line[]): void {
    for (const line of lines) {
      const handling = this.#handle(line).finally(() => this.#open.delete(handling));
      this.#open.add(handling);
    }
  }

  async #handle(line: Line): Promise<void> {
    if (this.#open.size >= MAX_OPEN) return this.#send(errorText("null", tooMany));
    let isAnswered = (): void => undefined;
    const answered = new Promise<void>((resolve) => (isAnswered = resolve));
    const { dispatcher, scopes } = this.#parts;
    const caller = { scopes, subscriber: this.#subscriber, answered };
    const answer = await dispatcher.answer(line === "too_long" ? tooLarge() : line, caller);
    const sent = answer === null ? null : this.#send(answer);
    isAnswered();
    // A connection that is broken takes no answer.
    await sent?.catch(() => undefined);
  }

  /** Writes a line. Reading waits while too much waits to be written. */
  #send(text: string): Promise<void> {
    const { input, output } = this.#parts;
    if (this.#isBroken || output.destroyed) return Promise.reject(new Error("the connection is broken"));
    return new Promise((resolve, reject) => {
      output.write(`${text}\n`, (error) => {
        if (input.isPaused() && output.writableLength < MAX_WAITING_BYTES) input.resume();
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
      if (output.writableLength >= MAX_WAITING_BYTES) input.pause();
    });
  }
}
