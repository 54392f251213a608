/** Where each stream ends, remembered between commits. */
import type { Statement } from "better-sqlite3";
import { GENESIS } from "./hash.ts";
import type { Connection } from "./connection.ts";
import type { Memory } from "./writer.ts";

/** The end of a stream. The engine moves it as it inserts. */
export interface Head {
  /** The stream's number in the tables; 0 for one that has no fact yet. */
  id: number;
  version: number;
  hash: string;
}

/** A process meets few streams at a time; the rest are read again when they are met again. */
const MAX_REMEMBERED = 10_000;

/** The streams' ends, and the log's. */
export class Heads implements Memory {
  readonly #stream: Statement<[string], number>;
  readonly #last: Statement<[number], { version: number; hash: string }>;
  readonly #lastPosition: Statement<[], number>;
  readonly #heads = new Map<string, Head>();
  #position: number | null = null;

  constructor({ db }: Connection) {
    this.#stream = db.prepare<[string], number>("SELECT id FROM streams WHERE name = ?").pluck();
    this.#last = db.prepare("SELECT version, hash FROM facts WHERE stream = ? ORDER BY version DESC LIMIT 1");
    this.#lastPosition = db.prepare<[], number>("SELECT ifnull(max(position), 0) FROM facts").pluck();
  }

  /** The end of a stream, at version 0 for one that does not exist. Valid inside the transaction that asks. */
  of(stream: string): Head {
    let head = this.#heads.get(stream);
    if (head !== undefined) return head;
    if (this.#heads.size >= MAX_REMEMBERED) this.#heads.clear();
    const id = this.#stream.get(stream) ?? 0;
    head = { id, ...(this.#last.get(id) ?? { version: 0, hash: GENESIS }) };
    this.#heads.set(stream, head);
    return head;
  }

  nextPosition(): number {
    this.#position = this.lastPosition() + 1;
    return this.#position;
  }

  /** Of the log; 0 for an empty one. Valid inside the transaction that asks. */
  lastPosition(): number {
    this.#position ??= this.#lastPosition.get() ?? 0;
    return this.#position;
  }

  forget(): void {
    this.#heads.clear();
    this.#position = null;
  }
}
