import { MailboxFullError } from "./errors.ts";

/** How many messages may wait, and what happens to one more. */
export interface MailboxOptions {
  /** Messages that may wait; at least 1. Default 10,000. */
  readonly capacity?: number;
  /**
   * `reject` (default): the sender gets a {@link MailboxFullError}. `drop_oldest`: the one that has waited longest is
   * dropped and counted. `wait`: `send` returns a promise that resolves when there is room.
   */
  readonly overflow?: "reject" | "drop_oldest" | "wait";
}

const perTurn = 1_000; // messages before timers and I/O get their turn

/**
 * A bounded queue in front of one receiver, which gets one message at a time and never inside the sender's call.
 *
 * OTP's mailboxes have no bound and no back-pressure; these have both, stated when they are made.
 */
export class Mailbox<Message> {
  readonly #capacity: number;
  readonly #overflow: "reject" | "drop_oldest" | "wait";
  readonly #drain: (take: () => Message | undefined) => void;
  #queue: (Message | undefined)[] = [];
  #head = 0;
  #isScheduled = false;
  #isOpen = true;
  #waiting: { message: Message; accepted: () => void }[] = [];
  #dropped = 0;

  /**
   * @param drain - is called when messages wait; takes them one by one until `take` gives undefined
   */
  constructor(options: MailboxOptions, drain: (take: () => Message | undefined) => void) {
    this.#capacity = options.capacity ?? 10_000;
    if (!(this.#capacity >= 1)) throw new RangeError(`capacity is ${this.#capacity}; expected a number of messages >= 1`);
    this.#overflow = options.overflow ?? "reject";
    this.#drain = drain;
  }

  /** Messages that wait, those of waiting senders included. */
  get length(): number {
    return this.#queue.length - this.#head + this.#waiting.length;
  }

  /** Messages that `drop_oldest` has dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Puts a message last. After {@link Mailbox.close} it goes nowhere: a cast never fails (OTP `gen_server:cast/2`).
   *
   * @returns a promise only when the policy is `wait` and there is no room
   * @throws MailboxFullError when the policy is `reject` and there is no room (code `LEMON_MAILBOX_FULL`)
   */
  send(message: Message): Promise<void> | undefined {
    if (!this.#isOpen) return undefined;
    if (this.#queue.length - this.#head >= this.#capacity) {
      if (this.#overflow === "reject") throw new MailboxFullError(this.#capacity);
      if (this.#overflow === "wait") {
        return new Promise((accepted) => this.#waiting.push({ message, accepted }));
      }
      this.#take();
      this.#dropped += 1;
    }
    this.#queue.push(message);
    if (!this.#isScheduled) this.#schedule(queueMicrotask);
    return undefined;
  }

  /** Drops what waits and takes nothing more. Senders that waited for room are let go. */
  close(): void {
    this.#isOpen = false;
    this.#queue = [];
    this.#head = 0;
    for (const { accepted } of this.#waiting.splice(0)) accepted();
  }

  #schedule(later: (run: () => void) => unknown): void {
    this.#isScheduled = true;
    later(this.#run);
  }

  readonly #run = (): void => {
    let left = perTurn;
    try {
      this.#drain(() => (left-- > 0 ? this.#take() : undefined));
    } finally {
      this.#isScheduled = false;
      if (this.#queue.length > this.#head) this.#schedule(setImmediate);
    }
  };

  #take(): Message | undefined {
    if (this.#head === this.#queue.length) return undefined;
    const message = this.#queue[this.#head];
    this.#queue[this.#head] = undefined; // so that a taken message can be collected before the array is cut
    this.#head += 1;
    if (this.#head === this.#queue.length || this.#head >= 4096) {
      this.#queue = this.#head === this.#queue.length ? [] : this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (this.#waiting.length > 0) this.#admitWaiting();
    return message;
  }

  #admitWaiting(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#queue.push(next.message);
    next.accepted();
  }
}
