/** All that the page is told of one session: read once from the log, then kept up with it. */
import type { Fact } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { ForkPoint, LaneCounts, MarkKind } from "../api.ts";
import { CallLedger } from "../derive/calls.ts";
import { FactColumns, knownFact } from "../derive/fact-columns.ts";
import { noLaneCounts } from "../derive/lanes.ts";
import { MessagePlaces } from "../derive/message-places.ts";
import { markOf } from "../derive/timeline.ts";
import { UsageLedger, type Prices } from "../derive/usage.ts";
import { WriteLedger } from "../derive/writes.ts";
import { History } from "./history.ts";
import { MessagePages } from "./message-pages.ts";
import { StateCache } from "./state-cache.ts";

/** A session, opened. */
export class SessionBook {
  readonly sessionId: string;
  readonly stream: string;
  readonly columns = new FactColumns();
  readonly calls = new CallLedger();
  readonly usage: UsageLedger;
  readonly writes = new WriteLedger();
  readonly marks: { readonly version: number; readonly kind: MarkKind }[] = [];
  readonly places = new MessagePlaces();
  readonly messages: MessagePages;
  readonly states: StateCache;
  readonly history: History;
  readonly #lanes = noLaneCounts();
  #errors = 0;
  #forkedFrom: ForkPoint | null = null;
  #reading: Promise<void> | null = null;

  private constructor(sessionId: string, history: History, prices: Prices) {
    this.sessionId = sessionId;
    this.stream = `session-${sessionId}`;
    this.history = history;
    this.usage = new UsageLedger(prices);
    this.messages = new MessagePages(history, this.places);
    this.states = new StateCache(history);
  }

  /** Reads a session that is there, to its end. */
  static async open(log: EventLog, sessionId: string, prices: Prices): Promise<SessionBook> {
    const history = await History.of(log, `session-${sessionId}`);
    const book = new SessionBook(sessionId, history, prices);
    for await (const fact of history.read(history.first, 0)) book.#takeOfAncestor(fact);
    await book.refresh();
    return book;
  }

  /** Version of the last fact that was read. */
  get version(): number {
    return this.columns.version;
  }

  get lanes(): LaneCounts {
    return this.#lanes;
  }

  get errors(): number {
    return this.#errors;
  }

  get forkedFrom(): ForkPoint | null {
    return this.#forkedFrom;
  }

  /** Reads on to the end of the stream. Calls that come while it reads share it. */
  refresh(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => (this.#reading = null));
    return this.#reading;
  }

  /** A fact that the log has told. One that comes too early makes it read what is between. */
  async follow(fact: Fact): Promise<void> {
    if (fact.version <= this.version) return;
    if (this.#reading === null && fact.version === this.version + 1) return this.#take(fact);
    await this.refresh();
    // It was appended after the reading had passed.
    if (fact.version > this.version) await this.refresh();
  }

  async #readOn(): Promise<void> {
    for await (const fact of this.history.read(this.version + 1, Infinity)) this.#take(fact);
  }

  #take(fact: Fact): void {
    const known = knownFact(fact);
    this.columns.take(fact, known);
    this.#lanes[this.columns.laneOf(fact.version)] += 1;
    const isError = this.columns.isError(fact.version);
    if (isError) this.#errors += 1;
    if (known === null) return;
    const kind = markOf(known, isError);
    if (kind !== null) this.marks.push({ version: fact.version, kind });
    if (known.type === "session.forked") this.#forkedFrom = { sessionId: known.data.from, at: known.data.at };
    this.writes.take(fact);
    this.calls.take(known);
    this.usage.take(known);
    this.places.take(fact);
    this.states.take(fact);
  }

  /** What an ancestor did counts for the conversation, the calls and the state; it is no fact of this session. */
  #takeOfAncestor(fact: Fact): void {
    const known = knownFact(fact);
    if (known === null) return;
    this.columns.noteTools(known);
    this.writes.take(fact);
    this.calls.take(known);
    this.usage.take(known);
    this.places.take(fact);
    this.states.take(fact);
  }
}
