/** Stores the state of a stream from time to time. Stored states are disposable: one that fails to be written is told and forgotten. */
import type { EventLog } from "../log/index.ts";
import type { Cascade } from "./cascade.ts";
import type { StoredActors } from "./load.ts";
import type { StreamViews } from "./stream-views.ts";

/** Facts between two stored states: to replay fewer takes about 10 ms, a state some 30 KB. */
const EVERY = 500;

/** The stored states of one stream. */
export class SnapshotKeeper {
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #writer: string;
  readonly #report: (error: unknown, what: string) => void;
  #storedVersion = 0;

  /** @param writer - what `snapshotWriter` says of the stream's kind */
  constructor(log: EventLog, stream: string, writer: string, report: (error: unknown, what: string) => void) {
    this.#log = log;
    this.#stream = stream;
    this.#writer = writer;
    this.#report = report;
  }

  /** The stream was loaded from a stored state of this version, 0 for none. */
  loaded(version: number): void {
    this.#storedVersion = version;
  }

  /**
   * Stores actors and views if enough facts have come since. Only when all facts that the actors have seen are
   * durable and none of them is spoilt.
   *
   * @param factHash - hash of the last fact: a state belongs to one history
   */
  keep(cascade: Cascade, views: StreamViews, factHash: string): void {
    const { version } = cascade;
    if (version - this.#storedVersion < EVERY) return;
    this.#storedVersion = version;
    const actors: StoredActors = { factHash, cascade: cascade.snapshot() };
    const texts = views.store({ version, hash: factHash }).set("actors", JSON.stringify(actors));
    this.#log
      .commit((work) => {
        for (const [name, text] of texts) {
          work.saveSnapshot({ stream: this.#stream, name, version, writer: this.#writer, text });
        }
      })
      .catch((error: unknown) => {
        views.forgetStored();
        this.#report(error, "a stored state could not be written");
      });
  }
}
