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
  /** Where senders put; becomes `#taking` when that is empty, so that neither end ever shifts an array. */
  #incoming: Message[] = [];
  #taking: (Message | undefined)[] = [];
  #taken = 0;
  #isScheduled = false;
  #isOpen = true;
  #waiting: { message: Message; accepted: () => void }[] = [];
  #dropped = 0;

  /**
   * @param drain - is called when messages wait; takes them one by one until `take` gives undefined
   */
  constructor(options: MailboxOptions, drain: (take: () => Message | undefined) => void) {
    this.#capacity = options.capacity ?? 10_000;
    if (!(this.#capacity >= 1))
      throw new RangeError(`capacity is ${this.#capacity}; expected a number of messages >= 1`);
    this.#overflow = options.overflow ?? "reject";
    this.#drain = drain;
  }

  /** Messages that wait, those of waiting senders included. */
  get length(): number {
    return this.#stored + this.#waiting.length;
  }

  get #stored(): number {
    return this.#incoming.length + this.#taking.length - this.#taken;
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
    if (this.#stored >= this.#capacity) {
      if (this.#overflow === "reject") throw new MailboxFullError(this.#capacity);
      if (this.#overflow === "wait") {
        return new Promise((accepted) => this.#waiting.push({ message, accepted }));
      }
      this.#take();
      this.#dropped += 1;
    }
    this.#incoming.push(message);
    if (!this.#isScheduled) this.#schedule(queueMicrotask);
    return undefined;
  }

  /** Drops what waits and takes nothing more. Senders that waited for room are let go. */
  close(): void {
    this.#isOpen = false;
    this.#incoming = [];
    this.#taking = [];
    this.#taken = 0;
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
      if (this.#stored > 0) this.#schedule(setImmediate);
    }
  };

  #take(): Message | undefined {
    if (this.#taken === this.#taking.length) {
      if (this.#incoming.length === 0) return undefined;
      this.#taking = this.#incoming;
      this.#incoming = [];
      this.#taken = 0;
    }
    const message = this.#taking[this.#taken];
    this.#taking[this.#taken] = undefined; // so that a message that was taken can be collected
    this.#taken += 1;
    if (this.#waiting.length > 0) this.#admitWaiting();
    return message;
  }

  #admitWaiting(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#incoming.push(next.message);
    next.accepted();
  }
}
