/** The sessions that are being looked at. */
import type { Fact } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { requireSession } from "../../replay/index.ts";
import type { Prices } from "../derive/usage.ts";
import { RecentlyUsed } from "./recently-used.ts";
import { SessionBook } from "./session-book.ts";

/** Facts of which columns are kept, over all sessions: some 200 MB. The session that was opened last stays whatever its size. */
const MAX_FACTS = 400_000;

/** Opens each session once. */
export class Shelf {
  readonly #log: EventLog;
  readonly #prices: Prices;
  readonly #books = new RecentlyUsed<string, SessionBook>(MAX_FACTS);
  readonly #opening = new Map<string, Promise<SessionBook>>();

  constructor(log: EventLog, prices: Prices) {
    this.#log = log;
    this.#prices = prices;
  }

  /** A session, opened. @throws SessionNotFoundError */
  async open(sessionId: string): Promise<SessionBook> {
    const known = this.#books.get(sessionId);
    if (known !== undefined) return known;
    let opening = this.#opening.get(sessionId);
    if (opening === undefined) {
      opening = this.#read(sessionId).finally(() => this.#opening.delete(sessionId));
      this.#opening.set(sessionId, opening);
    }
    return opening;
  }

  /** Gives a fact that the log has told to the session that it is of, if that is open. */
  async follow(fact: Fact): Promise<void> {
    const sessionId = fact.stream.slice("session-".length);
    const book = this.#books.get(sessionId) ?? (await this.#opening.get(sessionId));
    await book?.follow(fact);
  }

  async #read(sessionId: string): Promise<SessionBook> {
    await requireSession(this.#log, sessionId);
    const book = await SessionBook.open(this.#log, sessionId, this.#prices);
    this.#books.set(sessionId, book, book.version);
    return book;
  }
}
